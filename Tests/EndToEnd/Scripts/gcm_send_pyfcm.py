"""An app server on pyfcm 2 (HTTP v1).

Usage: gcm_send_pyfcm.py --server URL --project ID (--key BEARER | --service-account FILE) [--ca FILE]

Each line of standard input has the keywords of one `notify` (fcm_token, topic_name, topic_condition, data_payload,
notification_title, android_config, dry_run …). For each one line comes out: {"answer": …} or {"exception": CLASS,
"text": TEXT}.
"""

from json_lines import arguments, commands, say

options = arguments(__doc__, "server", "project", key=None, service_account=None)

from google.oauth2.credentials import Credentials
from pyfcm import FCMNotification
from pyfcm.baseapi import BaseAPI


class StaticBearer(Credentials):
    """A bearer that is there already: pyfcm asks for a new one before its first request in any case."""

    def refresh(self, request):
        pass


BaseAPI.FCM_END_POINT_BASE = options.server + "/v1/projects"
service = FCMNotification(
    service_account_file=options.service_account,
    credentials=StaticBearer(options.key) if options.key else None,
    project_id=options.project,
)

say(ready=True)
for command in commands():
    try:
        say(answer=service.notify(**command))
    except Exception as error:
        say(exception=type(error).__name__, text=str(error))
