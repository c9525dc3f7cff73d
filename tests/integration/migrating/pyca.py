# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The calls of docs/migrating.md, "pyca/cryptography". check.py runs this."""

import copy

import cryptography.exceptions
import hornet_poly1305
from cryptography.hazmat.primitives import poly1305
from cryptography.hazmat.primitives.ciphers import Cipher, aead, algorithms

key, nonce, aad, data = bytes(range(32)), bytes(range(12)), b"header", bytes(range(100))
full_nonce = (1).to_bytes(4, "little") + nonce


def same(line: str, equal: bool) -> None:
    assert equal, f"{line}: another result"
    print(line)


def raises(call, exception: type[Exception]) -> bool:
    try:
        call()
    except exception as error:
        return type(error) is exception
    return False


theirs = aead.ChaCha20Poly1305(key)
ours = hornet_poly1305.ChaCha20Poly1305(key)
same("aead.ChaCha20Poly1305(key)", raises(lambda: copy.copy(ours), TypeError))
same(
    "aead.ChaCha20Poly1305.generate_key()",
    len(aead.ChaCha20Poly1305.generate_key()) == len(hornet_poly1305.ChaCha20Poly1305.generate_key()) == 32,
)
sealed = theirs.encrypt(nonce, data, aad)
same("theirs.encrypt(nonce, data, aad)", sealed == ours.encrypt(nonce, data, aad))
forged = sealed[:-1] + bytes([sealed[-1] ^ 1])
same(
    "theirs.decrypt(nonce, sealed, aad)",
    theirs.decrypt(nonce, sealed, aad) == ours.decrypt(nonce, sealed, aad) == data
    and raises(lambda: theirs.decrypt(nonce, forged, aad), cryptography.exceptions.InvalidTag)
    and raises(lambda: ours.decrypt(nonce, forged, aad), hornet_poly1305.InvalidTag)
    and cryptography.exceptions.InvalidTag is hornet_poly1305.InvalidTag,
)

buf = bytearray(116)
counts = [theirs.encrypt_into(nonce, data, aad, buf)]
results = [bytes(buf)]
counts.append(ours.encrypt_into(nonce, data, aad, buf))
results.append(bytes(buf))
in_place = bytearray(data + bytes(16))
ours.encrypt_into(nonce, memoryview(in_place)[:100], aad, in_place)
same("theirs.encrypt_into(nonce, data, aad, buf)", counts == [116] * 2 and results == [sealed] * 2 == [in_place] * 2)

buf = bytearray(100)
counts = [theirs.decrypt_into(nonce, sealed, aad, buf)]
results = [bytes(buf)]
counts.append(ours.decrypt_into(nonce, sealed, aad, buf))
results.append(bytes(buf))
ours.decrypt_into(nonce, in_place, aad, memoryview(in_place)[:100])
same(
    "theirs.decrypt_into(nonce, sealed, aad, buf)",
    counts == [100] * 2 and results == [data] * 2 == [in_place[:100]] * 2,
)

tag = poly1305.Poly1305.generate_tag(key, data)
same(
    "poly1305.Poly1305.generate_tag(key, data)",
    tag == hornet_poly1305.Poly1305.generate_tag(key, data) == hornet_poly1305.mac(key, data),
)
poly1305.Poly1305.verify_tag(key, data, tag)
hornet_poly1305.Poly1305.verify_tag(key, data, tag)
wrong = bytes(16)
same(
    "poly1305.Poly1305.verify_tag(key, data, tag)",
    raises(lambda: poly1305.Poly1305.verify_tag(key, data, wrong), cryptography.exceptions.InvalidSignature)
    and raises(lambda: hornet_poly1305.Poly1305.verify_tag(key, data, wrong), hornet_poly1305.InvalidSignature),
)

their_mac, our_mac = poly1305.Poly1305(key), hornet_poly1305.Poly1305(key)
their_mac.update(data)
our_mac.update(data)
finished = [their_mac.finalize(), our_mac.finalize()]
same("their_mac.update(data)", finished == [tag] * 2)
same("their_mac.finalize()", raises(our_mac.finalize, hornet_poly1305.AlreadyFinalized))
their_mac, our_mac = poly1305.Poly1305(key), hornet_poly1305.Poly1305(key)
their_mac.update(data)
our_mac.update(data)
their_mac.verify(tag)
our_mac.verify(tag)
same("their_mac.verify(tag)", True)

encryptor = Cipher(algorithms.ChaCha20(key, full_nonce), None).encryptor()
cipher = hornet_poly1305.ChaCha20(key, full_nonce)
text = cipher.update(data)
same(
    "Cipher(algorithms.ChaCha20(key, full_nonce), None).encryptor()",
    text == encryptor.update(data) == hornet_poly1305.ChaCha20(key, nonce, 1).update(data),
)
