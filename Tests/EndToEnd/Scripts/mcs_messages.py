"""The messages of check-in and MCS as far as a device needs them, made from their field numbers when imported.

Our own reading of the protocol on purpose, not the server's: what both sides take from one .proto, both can have wrong.
"""

from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

# name: field number, type, and * repeated or ! required; a name with a capital letter is another message.
FIELDS = {
    "HeartbeatPing": "stream_id:1:int32 last_stream_id_received:2:int32 status:3:int64",
    "HeartbeatAck": "stream_id:1:int32 last_stream_id_received:2:int32 status:3:int64",
    "Setting": "name:1:string! value:2:string!",
    "HeartbeatStat": "ip:1:string! timeout:2:bool! interval_ms:3:int32!",
    "HeartbeatConfig": "upload_stat:1:bool ip:2:string interval_ms:3:int32",
    "LoginRequest": "id:1:string! domain:2:string! user:3:string! resource:4:string! auth_token:5:string!"
    " device_id:6:string setting:8:Setting* received_persistent_id:10:string* adaptive_heartbeat:12:bool"
    " heartbeat_stat:13:HeartbeatStat use_rmq2:14:bool account_id:15:int64 auth_service:16:int32 network_type:17:int32"
    " status:18:int64",
    "ErrorInfo": "code:1:int32! message:2:string type:3:string",
    "LoginResponse": "id:1:string! jid:2:string error:3:ErrorInfo setting:4:Setting* stream_id:5:int32"
    " last_stream_id_received:6:int32 heartbeat_config:7:HeartbeatConfig server_timestamp:8:int64",
    "StreamErrorStanza": "type:1:string! text:2:string",
    "Close": "",
    "Extension": "id:1:int32! data:2:bytes!",
    "IqStanza": "type:2:int32! id:3:string! error:6:ErrorInfo extension:7:Extension persistent_id:8:string"
    " stream_id:9:int32 last_stream_id_received:10:int32 status:12:int64",
    "AppData": "key:1:string! value:2:string!",
    "DataMessageStanza": "id:2:string from:3:string! to:4:string category:5:string! token:6:string app_data:7:AppData*"
    " from_trusted_server:8:bool persistent_id:9:string stream_id:10:int32 last_stream_id_received:11:int32"
    " reg_id:13:string device_user_id:16:int64 ttl:17:int32 sent:18:int64 queued:19:int32 status:20:int64"
    " raw_data:21:bytes immediate_ack:24:bool",
    "SelectiveAck": "id:1:string*",
    "ChromeBuild": "platform:1:int32 version:2:string channel:3:int32",
    "Checkin": "type:12:int32 chrome_build:13:ChromeBuild",
    "CheckinRequest": "id:2:int64 checkin:4:Checkin! security_token:13:fixed64 version:14:int32"
    " user_serial_number:22:int32",
    "ServiceSetting": "name:1:bytes! value:2:bytes!",
    "CheckinResponse": "stats_ok:1:bool! time_msec:3:int64 digest:4:string setting:5:ServiceSetting*"
    " android_id:7:fixed64 security_token:8:fixed64 settings_diff:9:bool",
}
PACKAGE = "device"


def described(name, fields):
    message = descriptor_pb2.DescriptorProto(name=name)
    for text in fields.split():
        field, number, kind = text.split(":")
        one = message.field.add(name=field, number=int(number))
        one.label = {"*": one.LABEL_REPEATED, "!": one.LABEL_REQUIRED}.get(kind[-1], one.LABEL_OPTIONAL)
        kind = kind.rstrip("*!")
        if kind[0].isupper():
            one.type, one.type_name = one.TYPE_MESSAGE, f".{PACKAGE}.{kind}"
        else:
            one.type = getattr(one, f"TYPE_{kind.upper()}")
    return message


file = descriptor_pb2.FileDescriptorProto(name="device.proto", package=PACKAGE, syntax="proto2")
file.message_type.extend(described(name, fields) for name, fields in FIELDS.items())
pool = descriptor_pool.DescriptorPool()
pool.Add(file)
for name in FIELDS:
    globals()[name] = message_factory.GetMessageClass(pool.FindMessageTypeByName(f"{PACKAGE}.{name}"))

TAGS = ["HeartbeatPing", "HeartbeatAck", "LoginRequest", "LoginResponse", "Close", None, None, "IqStanza",
        "DataMessageStanza", None, "StreamErrorStanza"]
SELECTIVE_ACK, STREAM_ACK = 12, 13
VERSION = 41


def frame(message):
    body = message.SerializeToString()
    head = bytearray([TAGS.index(message.DESCRIPTOR.name)])
    length = len(body)
    while length > 127:
        head.append(length & 127 | 128)
        length >>= 7
    head.append(length)
    return bytes(head) + body


async def read(reader):
    """The next message; raises as asyncio's readexactly does, and ValueError for a tag that is none."""
    tag = (await reader.readexactly(1))[0]
    length = shift = 0
    while True:
        byte = (await reader.readexactly(1))[0]
        length |= (byte & 127) << shift
        if byte < 128:
            break
        shift += 7
    body = await reader.readexactly(length)
    if tag >= len(TAGS) or not TAGS[tag]:
        raise ValueError(f"tag {tag}")
    return globals()[TAGS[tag]].FromString(body)
