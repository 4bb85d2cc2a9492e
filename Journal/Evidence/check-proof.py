#!/usr/bin/env python3
"""Checks that a log has a record, with nothing but Python's standard library: check-proof.py FILE --policy POLICY
Ends with 0 if the proof holds; 64 the command line, 65 no proof, 66 no such file, 78 the policy, 84 a wrong signature,
85 not signed by the log, 86 another log, 93 too few witnesses, 94 not in the tree, 95 no record, 96 index, 97 hashes.
Formats: C2SP signed-note, tlog-checkpoint, tlog-cosignature, tlog-policy, tlog-proof; RFC 6962, RFC 8032.
"""
import base64, hashlib, re, sys, time, unicodedata
NOTE_MAX, PROOF_MAX, POLICY_MAX, RECORD_MAX = 262144, 1663168, 262144, 1048576  # bytes: Carillon's own bounds
P, L = 2**255 - 19, 2**252 + 27742317777372353535851937790883648493
D, ROOT = -121665 * pow(121666, -1, P) % P, pow(2, (P - 1) // 4, P)
def require(good, code, text):
    if not good: sys.exit(print("does not hold: " * (code not in (64, 66, 78)) + text, file=sys.stderr) or code)

def add(p, q):  # Ed25519: its curve's points (x, y)
    k = D * p[0] * q[0] * p[1] * q[1]
    return (p[0] * q[1] + p[1] * q[0]) * pow(1 + k, -1, P) % P, (p[1] * q[1] + p[0] * q[0]) * pow(1 - k, -1, P) % P
def times(n, p):
    double = times(n // 2, add(p, p)) if n else (0, 1)
    return add(double, p) if n & 1 else double
def point(data):
    y, sign = int.from_bytes(data, "little") % 2**255, data[31] >> 7
    square = (y * y - 1) * pow(D * y * y + 1, -1, P) % P
    x = pow(square, (P + 3) // 8, P)
    x = x if x * x % P == square else x * ROOT % P
    x = P - x if x & 1 != sign else x
    return (x, y) if x * x % P == square and y < P and x < P else None
def verifies(key, signature, message):
    a, s = point(key), int.from_bytes(signature[32:], "little")
    if a is None or len(signature) != 64 or s >= L: return False
    h = int.from_bytes(hashlib.sha512(signature[:32] + key + message).digest(), "little") % L
    x, y = add(times(s, point(bytes.fromhex("58" + "66" * 31))), times(h, (P - a[0], a[1])))
    return (y | (x & 1) << 255).to_bytes(32, "little") == signature[:32]

# Texts, strictly: what means something is written in one way only. These give None for what is wrong.
def unbase64(text):
    try: data = base64.b64decode(text, validate=True)
    except ValueError: return None
    return data if base64.b64encode(data) == text else None
def hashed(line): return unbase64(line) if len(line) == 44 and line[-2:-1] != b"=" == line[-1:] else None
def number(text): return int(text) if re.fullmatch(rb"0|[1-9][0-9]{0,18}", text) and int(text) < 2**63 else None
def name(data):
    text = data.decode(errors="replace")
    bad = any(c == "+" or c.isspace() or unicodedata.category(c) == "Cc" for c in text) or text.encode() != data
    return None if bad or not 1 <= len(data) <= 255 else text
def canonical(key):  # a point is written in one way
    y = int.from_bytes(key, "little") % 2**255
    return y < P and not (y in (1, P - 1) and key[31] >> 7)
def verifier(text, kind):  # gives name, id, key and kind
    key_name, key_id, rest = (text.split(b"+", 2) + [b"", b""])[:3]
    key = unbase64(rest) or b""
    right = hashlib.sha256(key_name + b"\n" + key).digest()[:4]
    good = name(key_name) and len(key) == 33 and key[0] == kind and canonical(key[1:]) and right.hex().encode() == key_id
    return (key_name, right, key[1:], kind) if good else None

FORMS = {b"log": (1, 2), b"witness": (2, 3), b"group": (3, POLICY_MAX), b"quorum": (1, 1)}  # how many words follow
def read_policy(data):  # gives the logs' keys, the witnesses' keys by name, the groups in their order, and the quorum
    logs, witnesses, groups, quorum, members = {}, {}, {}, [], set()
    for count, line in enumerate(data.split(b"\n"), 1):
        word, *given = line.split() or [b"#"]
        low, high = FORMS.get(word, (0, POLICY_MAX if word[:1] == b"#" else -1))
        names = {b"none", *witnesses, *groups}
        used = given[2:] if word == b"group" else given if word == b"quorum" and given != [b"none"] else []
        good = len(data) <= POLICY_MAX and low <= len(given) <= high and not re.search(rb"[\0-\x08\x0b-\x1f\x7f]", line)
        good = good and set(used) <= names - {b"none"} and (low < 2 or given[0] not in names and len(given[0]) < 256)
        if good and word == b"quorum": good, quorum = not quorum, given
        elif good and word == b"group":
            least = {b"all": len(used), b"any": 1}.get(given[1]) or number(given[1]) or 0
            good = len(set(used)) == len(used) and not members & set(used) and 1 <= least <= len(used)
            groups[given[0]], members = (least, used), members | set(used)
        elif good and low:
            key, known = verifier(given[low - 1], 1 if low == 1 else 4), logs if low == 1 else witnesses
            good = key and key[2] not in [other[2] for other in known.values()]
            known[key if low == 1 else given[0]] = key
        good = good and max(len(logs), len(witnesses), len(groups)) <= 256
        require(good, 78, f"the policy is wrong: line {count}: {line[:80].decode(errors='replace')!r}")
    require(logs and quorum, 78, "the policy is wrong: " + ("it has no line quorum" if logs else "it names no log"))
    return list(logs), witnesses, groups, quorum[0]

def read_note(data):  # gives the signed text, and its signatures: name, id, signature
    line = len(re.split(rb"[\0-\x09\x0b-\x1f]", data)[0].split(b"\n"))
    clean, split, signatures = not re.search(rb"[\0-\x09\x0b-\x1f]", data), data.rfind(b"\n\n") + 1, []
    require(len(data) <= NOTE_MAX, 65, f"not a proof: a note of more than {NOTE_MAX} bytes")
    require(clean, 65, f"not a proof: line {line} of the note has a control character")
    require(data.decode(errors="ignore").encode() == data, 65, "not a proof: a note that is not UTF-8")
    require(split and split + 1 < len(data), 65, "not a proof: a note without signatures")
    for count, line in enumerate(data[split + 1:].splitlines(True), data[:split].count(10) + 2):
        key_name, _, text = line[4:].partition(b" ")
        decoded = unbase64(text[:-1]) or b""
        good = line[:4] == "— ".encode() and name(key_name) and len(decoded) > 4 and line[-1:] == b"\n"
        require(good, 65, f"not a proof: line {count} of the note is not a signature")
        require(len(signatures) < 64, 65, "not a proof: a note with more than 64 signatures")
        signatures.append((key_name, decoded[:4], decoded[4:]))
    return data[:split], signatures

def judge(text, signatures, logs, witnesses, groups, quorum):  # gives origin, size, root, and who has seen them when
    lines, seen, faulty = text.split(b"\n")[:-1], {}, "not a checkpoint: its "
    origin, size, root = (lines + [b"", b"", b""])[:3]
    require(name(origin), 65, faulty + "origin is empty, too long, or has a space, a control character or +")
    require(number(size) is not None, 65, faulty + "second line is not a size")
    require(hashed(root), 65, faulty + "third line is not a hash")
    require(b"" not in lines, 65, faulty + f"line {(lines + [b'']).index(b'') + 1} is empty")
    own, named = [key for key in logs if key[0] == origin], name(origin)
    require(own, 86, f"a checkpoint of {named}, a log that the policy does not name")
    for key_name, key_id, signature in signatures:
        for key in [key for key in own + list(witnesses.values()) if key[:2] == (key_name, key_id)]:
            when, rest = (int.from_bytes(signature[:8], "big"), signature[8:]) if key[3] == 4 else (0, signature)
            message = b"cosignature/v1\ntime %d\n" % when + text if key[3] == 4 else text
            good = when < 2**63 and verifies(key[2], rest, message)
            require(good, 84, f"the signature of {name(key_name)} is wrong: it or the note was changed")
            seen.setdefault(key, when)
    require(set(own) & set(seen), 85, f"the checkpoint is not signed by the key of {named} that the policy names")
    times = {word.decode(errors="replace"): seen[key] for word, key in witnesses.items() if key in seen}
    holds = {b"none": True, **{word: key in seen for word, key in witnesses.items()}}
    for word, (least, used) in groups.items(): holds[word] = sum(holds[member] for member in used) >= least
    who = ", ".join(times) + " only" if times else "none of the policy's witnesses"
    require(holds[quorum], 93, f"the quorum {quorum.decode(errors='replace')} is missing: cosigned by {who}")
    return named, number(size), hashed(root), times

def read_proof(data):  # gives extra, index, hashes and the note
    def must(good, at): require(good, 65, f"not a proof: line {at + 1} is not what a proof has there")
    require(len(data) <= PROOF_MAX, 65, f"not a proof: more than {PROOF_MAX} bytes")
    (*lines, rest), hashes = data.split(b"\n"), []
    must(lines[:1] == [b"c2sp.org/tlog-proof@v1"], 0)
    at = 2 if lines[1:] and lines[1][:6] == b"extra " else 1
    extra = unbase64(lines[1][6:]) if at == 2 else b""
    must(extra or at == 1, 1)
    index = number(lines[at][6:]) if lines[at:] and lines[at][:6] == b"index " else None
    must(index is not None, at)
    while (at := at + 1) >= len(lines) or lines[at]:
        must(at < len(lines) and hashed(lines[at]) and len(hashes) < 63, at)
        hashes.append(hashed(lines[at]))
    return extra, index, hashes, b"\n".join(lines[at + 1:] + [rest])

def check(proof, policy):
    extra, index, hashes, note = read_proof(proof)
    policy = read_policy(policy)
    origin, size, root, times = judge(*read_note(note), *policy)
    salt, body, place, last, rest = extra[:16], extra[16:], index, size - 1, list(hashes)
    require(1 <= len(body) <= RECORD_MAX, 95, "the proof shows no record: its line extra is missing or too short")
    require(index < size, 96, f"index {index} is outside of the tree, which has {size} records")
    node = hashlib.sha256(b"\0" + hashlib.sha256(salt + body).digest()).digest()
    while last and (rest or not (place & 1 or place < last)):
        if place & 1: node = hashlib.sha256(b"\1" + rest.pop(0) + node).digest()
        elif place < last: node = hashlib.sha256(b"\1" + node + rest.pop(0)).digest()
        place, last = place >> 1, last >> 1
    require(not last and not rest, 97, f"{len(hashes)} hashes are too few or too many for that index")
    require(node == root, 94, "the record is not in the signed tree: record, index or hashes were changed")
    print(f"holds: record {index + 1} of {origin}, in its tree of {size} records, signed by the log")
    for who, t in times.items(): print(f"seen by {who}:", time.strftime("%F %T UTC", time.gmtime(min(t, 2**37))))
    print(f"salt     {salt.hex()}\ncontent  {body.hex()}\nreadable {body.decode(errors='replace')!r}")
require(len(sys.argv) == 4 and sys.argv[2] == "--policy", 64, "usage: check-proof.py FILE.tlog-proof --policy POLICY")
try:
    with open(sys.argv[1], "rb") as proof, open(sys.argv[3], "rb") as trusted:
        check(proof.read(PROOF_MAX + 1), trusted.read(POLICY_MAX + 1))
except OSError as error: require(False, 66, f"{error.filename}: {error.strerror}")
