"""An app server on python-gcm (legacy HTTP, JSON and plain text).

Usage: gcm_send_python_gcm.py --server URL --key KEY [--ca FILE] [--path /gcm/send]

Each line of standard input is a send: {"do": "json" | "plain" | "topic", …}; the rest are the keywords of python-gcm's
json_request, plaintext_request or send_topic_message (registration_ids, registration_id, topic, data, collapse_key,
time_to_live, retries …). For each one line comes out: {"answer": what the library returned} (for "json" its groups
`success`, `errors`, `canonical`) or {"exception": CLASS, "text": TEXT}.
"""

from json_lines import arguments, commands, say

options = arguments(__doc__, "server", "key", path="/gcm/send")

from gcm import GCM

service = GCM(options.key)
service.url = options.server + options.path
send = {"json": service.json_request, "plain": service.plaintext_request, "topic": service.send_topic_message}

say(ready=True)
for command in commands():
    try:
        say(answer=send[command.pop("do")](**command))
    except Exception as error:
        say(exception=type(error).__name__, text=str(error))
