/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/** @file
 * The cipher of SSH packets that is called chacha20-poly1305@openssh.com
 * (draft-ietf-sshm-chacha20-poly1305-04, before that OpenSSH's PROTOCOL.chacha20poly1305).
 *
 *     to do                                    functions
 *     encrypt and authenticate a packet        hornet_ssh_seal, hornet_ssh_seal_batch
 *     tell the length of a packet              hornet_ssh_packet_length
 *     decrypt and verify a packet              hornet_ssh_open, hornet_ssh_open_batch
 *
 * A packet is encrypted and decrypted in place, and must not overlap the key:
 *
 *     length, 4 bytes, most significant first | text, len_bytes bytes | tag, 16 bytes
 *
 * Length and text are encrypted under two keys, so that who receives a packet can tell its length before
 * all of it has arrived. The tag is that of both as they are encrypted. The text is what SSH calls padding
 * length, payload and padding; the cipher does not read it.
 *
 * ONE SEQUENCE NUMBER, ONE PACKET. The nonce is the packet's sequence number in its direction. SSH derives
 * new keys before the number of 32 bits comes again.
 *
 * What hornet.h says of all functions holds for these. */
#ifndef HORNET_SSH_H
#define HORNET_SSH_H

#include "hornet.h"

#ifdef __cplusplus
extern "C" {
#endif

/** @defgroup ssh SSH packets
 * @{ */
#define HORNET_SSH_KEY_BYTES    64 /**< the key of texts, then that of lengths, as SSH derives them */
#define HORNET_SSH_LENGTH_BYTES 4  /**< of the length before the text */
#define HORNET_SSH_TAG_BYTES    16 /**< of the tag after the text */

/** Writes len_bytes before the text, encrypts both in place, and writes the tag after them. */
HORNET_API void hornet_ssh_seal(uint8_t *packet, uint32_t len_bytes, uint32_t sequence,
                                const uint8_t key[64]);

/** Returns the length of the text of a packet, whose first 4 bytes these are. IT IS NOT AUTHENTIC until
 * hornet_ssh_open has returned true: check it against a limit before you wait for the rest. */
HORNET_CHECKED uint32_t hornet_ssh_packet_length(const uint8_t encrypted[4], uint32_t sequence,
                                                 const uint8_t key[64]);

/** If the tag is right, decrypts the text in place and returns true. Otherwise writes len_bytes zero bytes
 * there and returns false; SSH then ends the connection. len_bytes is what hornet_ssh_packet_length has
 * returned. The length stays encrypted. */
HORNET_CHECKED bool hornet_ssh_open(uint8_t *packet, uint32_t len_bytes, uint32_t sequence,
                                    const uint8_t key[64]);

/** One of many packets: the arguments of hornet_ssh_seal or hornet_ssh_open. */
typedef struct hornet_ssh_packet {
    uint8_t *packet;    /**< 4 + len_bytes + 16 bytes */
    uint32_t len_bytes; /**< of the text */
    uint32_t sequence;  /**< number of the packet */
    const uint8_t *key; /**< 64 bytes */
} hornet_ssh_packet;

/** Seals count packets, which must not overlap, several at once. */
HORNET_API void hornet_ssh_seal_batch(const hornet_ssh_packet *packets, size_t count);

/** Opens count packets, which must not overlap, and sets valid[i], which must not overlap anything, to what
 * hornet_ssh_open would return for packets[i]. Returns true if all are valid. */
HORNET_CHECKED bool hornet_ssh_open_batch(bool *valid, const hornet_ssh_packet *packets, size_t count);
/** @} */

#ifdef __cplusplus
}
#endif

#endif
