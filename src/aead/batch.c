/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* The AEAD over many packets: their blocks share the passes of ChaCha20, and then each packet gets a lane
 * of Poly1305.
 *
 * Packets are sorted with the longest first, because Poly1305 takes as many steps as the longest of those
 * that share a vector needs. Its input is assembled for each packet, with padding, as for a single message
 * (chacha20_poly1305.c). */
#include "aead.h"

#include "../core/constant_time.h"

/* For measuring what sharing passes costs. */
#ifdef HORNET_BATCH_ALWAYS
enum { BATCH_ALWAYS = 1 };
#else
enum { BATCH_ALWAYS = 0 };
#endif

/* Batches have the kernel of the longest messages, which has most lanes. */
static const struct hornet_chacha20_kernel *batch_kernel(aead_kernels kernels)
{
    return hornet_chacha20_kernel_for(SIZE_MAX, kernels.chacha20);
}

/* Returns a packet of a window. Of OpenSSH's, that is the text, with both keys and without the sequence
 * number. */
HORNET_INLINE hornet_packet packet_at(const aead_window *window, size_t i)
{
    if (window->cipher != AEAD_OPENSSH)
        return ((const hornet_packet *)window->packets)[i];
    const hornet_ssh_packet *const p = ssh_packet_at(window, i);
    uint8_t *const text = p->packet + HORNET_SSH_LENGTH_BYTES;
    return (hornet_packet){
        .out = text, .in = text, .len_bytes = p->len_bytes, .key = p->key, .tag = text + p->len_bytes};
}

/* A cache line. For SPARC64, clang 19 aligns arrays of variable length only as it does the stack. */
#if defined(__sparc__) && defined(__clang__)
enum { MEMORY_ALIGNMENT = 16 };
#else
enum { MEMORY_ALIGNMENT = 64 };
#endif

/* Bytes from the ciphertext of a packet of this length to that of the next, in Poly1305's input: the
 * ciphertext, lengths, and the associated data of the next. There is no more room than they need, because
 * all of it is cleared, and it is an odd number of cache lines, so that packets spread over the sets of
 * L1. */
static size_t stride_of(size_t len_bytes, size_t aad_room)
{
    return ((len_bytes + 63) / 64 * 64 + 16 + aad_room + 63) / 64 * 64 | 64;
}

/* Replaces the keys and nonces of 24 bytes by those with which ChaCha20 continues, and returns where the
 * stack has ended. The keys are stored in subkeys. */
static uintptr_t derive_subkeys(chacha20_packets *all, uint8_t (*subkeys)[CHACHA20_KEY_BYTES],
                                const aead_window *window, const uint8_t *order)
{
    const hornet_packet *const packets = window->packets;
    for (size_t i = 0; i < all->count; i++)
        hchacha20_last_row(all->last_row[i], packets[order[i]].nonce);
    const uintptr_t end = batch_kernel(window->kernels)->subkeys(subkeys, all);
    for (size_t i = 0; i < all->count; i++) {
        all->key[i] = subkeys[i];
        xchacha20_last_row(all->last_row[i], 0, packets[order[i]].nonce);
    }
    return end;
}

/* Adds the keystreams of OpenSSH's lengths, as many as there are packets, as packets without text. */
static void add_lengths(chacha20_packets *all)
{
    const size_t count = all->count;
    for (size_t i = 0; i < count; i++) {
        all->key[count + i] = all->key[i] + CHACHA20_KEY_BYTES;
        memcpy(all->last_row[count + i], all->last_row[i], sizeof all->last_row[i]);
        all->len_bytes[count + i] = 0;
    }
    all->count = 2 * count;
}

/* Processes a bundle, packets order[0 .. count), the longest first, and returns where its stack has ended.
 */
HORNET_NOINLINE uintptr_t aead_bundle(const aead_window *window, const uint8_t *order, size_t count,
                                      size_t stride)
{
    chacha20_packets all;
    const void *inputs[CHACHA20_PACKETS_MAX];
    const size_t inputs_end = AEAD_AAD_ROOM_BYTES + count * stride;
    const bool extended = window->cipher == AEAD_XCHACHA20, ssh = window->cipher == AEAD_OPENSSH;
    const size_t subkeys_bytes = extended ? count * CHACHA20_KEY_BYTES : 0;
    uint8_t memory[inputs_end + subkeys_bytes] __attribute__((aligned(MEMORY_ALIGNMENT)));
    for (size_t i = 0; i < count; i++) {
        const hornet_packet p = packet_at(window, order[i]);
        check_overlap(p.out, p.in, p.len_bytes);
        all.key[i] = p.key;
        if (ssh)
            ssh_last_row(all.last_row[i], ssh_packet_at(window, order[i])->sequence);
        else if (!extended)
            chacha20_last_row(all.last_row[i], 0, p.nonce);
        all.out[i] = p.out;
        all.copy[i] = memory + stride * i + AEAD_AAD_ROOM_BYTES;
        all.in[i] = p.in;
        all.len_bytes[i] = p.len_bytes;
    }
    all.count = count;
    all.opens = window->opens;
    if (ssh && !window->opens)
        add_lengths(&all);
    uintptr_t end = UINTPTR_MAX;
    if (extended)
        end = derive_subkeys(&all, (uint8_t(*)[CHACHA20_KEY_BYTES])(memory + inputs_end), window, order);
    end = lower_end(end, batch_kernel(window->kernels)->packets(&all));
    /* Now there is room for others where nonces and lengths were. */
    uint8_t(*const tags)[16] = (uint8_t(*)[16])all.last_row;
    size_t *const inputs_bytes = all.len_bytes;
    for (size_t i = 0; i < count; i++) {
        const hornet_packet p = packet_at(window, order[i]);
        if (ssh) {
            uint8_t *const length = (uint8_t *)p.out - HORNET_SSH_LENGTH_BYTES;
            if (!window->opens)
                store_be32(length, (uint32_t)p.len_bytes ^ load_be32(all.block0[count + i]));
            inputs[i] = memcpy(all.copy[i] - HORNET_SSH_LENGTH_BYTES, length, HORNET_SSH_LENGTH_BYTES);
            inputs_bytes[i] = HORNET_SSH_LENGTH_BYTES + p.len_bytes;
            continue;
        }
        const uint8_t *const first = aead_input_begin(all.copy[i], p.aad, p.aad_bytes);
        inputs[i] = first;
        inputs_bytes[i] = (size_t)(aead_input_end(all.copy[i], p.len_bytes, p.aad_bytes) - first);
    }
    hornet_poly1305_batch_using(tags, inputs, inputs_bytes, (const uint8_t(*)[32])all.block0, count,
                                window->kernels.poly1305);
    for (size_t i = 0; i < count; i++) {
        const hornet_packet p = packet_at(window, order[i]);
        bool *const valid = &window->valid[order[i]];
        if (!window->opens) {
            memcpy(p.tag, tags[i], 16);
            *valid = true;
        } else {
            *valid = declassify(tags_equal(tags[i], p.tag));
            if (!*valid)
                zero_some(p.out, p.len_bytes);
        }
    }
    return lower_end(end, stack_end(STACK_BELOW_BYTES));
}

/* More associated data gains little from sharing a pass, as longer packets do. */
static bool may_share(const hornet_packet *p)
{
    return p->len_bytes <= AEAD_SHARED_BYTES && p->aad_bytes <= AEAD_AAD_ROOM_BYTES;
}

/* Writes the numbers of the packets that may share lanes to order, the longest first, and returns how many
 * there are. Sets *aad_room to at least the length of their associated data. */
static size_t aead_sort(uint8_t *order, size_t *aad_room, const aead_window *window, size_t count)
{
    uint16_t lens_bytes[AEAD_WINDOW] = {0};
    size_t n = 0;
    *aad_room = 48; /* with lengths, a cache line */
    for (size_t i = 0; i < count; i++) {
        const hornet_packet p = packet_at(window, i);
        lens_bytes[i] = (uint16_t)p.len_bytes;
        if (!may_share(&p))
            continue;
        order[n++] = (uint8_t)i;
        if (p.aad_bytes > *aad_room)
            *aad_room = AEAD_AAD_ROOM_BYTES;
    }
    hornet_batch_sort(order, lens_bytes, n);
    return n;
}

static size_t divided_up(size_t a, size_t b) { return a == 0 ? 0 : (a - 1) / b + 1; }

/* Returns how many lanes a packet takes at first: when OpenSSH's are sealed, there are their lengths. */
static size_t lanes_of_packet(const aead_window *window)
{
    return window->cipher == AEAD_OPENSSH && !window->opens ? 2 : 1;
}

/* Returns whether count packets, the first of which is the longest, are faster together. */
static bool gains(const aead_window *window, const uint8_t *order, size_t count,
                  const struct hornet_chacha20_kernel *kernel)
{
    const chacha20_batch_costs *const costs = kernel->batch_costs;
    const bool extended = window->cipher == AEAD_XCHACHA20;
    const size_t lengths = lanes_of_packet(window) == 2 ? count : 0; /* blocks for them */
    uint32_t alone = extended || lengths != 0 ? (uint32_t)count * costs->single_block : 0;
    size_t nblocks = 0;
    for (size_t i = 0; i < count; i++) {
        const size_t n = chacha20_blocks(packet_at(window, order[i]).len_bytes);
        alone += costs->alone[n];
        nblocks += n;
    }
    const size_t passes = divided_up(nblocks + count + lengths, kernel->lanes) + extended;
    const size_t longest = chacha20_blocks(packet_at(window, order[0]).len_bytes);
    const size_t together = costs->call + count * costs->packet + passes * costs->pass +
                            longest * costs->longest + nblocks * costs->block;
    return alone >= together + together / 16; /* the sum is so near to what was measured */
}

/* Seals or opens packet i, and returns whether it was. */
static bool process_alone(const aead_window *window, size_t i)
{
    return window->valid[i] = window->alone(window, i);
}

/* Processes the first count packets of a window, and returns whether all were opened or sealed. */
static bool process_window(const aead_window *window, size_t count)
{
    const struct hornet_chacha20_kernel *const kernel = batch_kernel(window->kernels);
    const size_t lanes = kernel->lanes / lanes_of_packet(window);
    const size_t fewest = BATCH_ALWAYS ? 2 : kernel->batch_costs->fewest;
    uint8_t order[AEAD_WINDOW];
    uintptr_t end = UINTPTR_MAX;
    bool all = true;
    size_t i = 0, aad_room = 0;
    const size_t n = count < fewest ? 0 : aead_sort(order, &aad_room, window, count);
    while (i != n) {
        const size_t stride = stride_of(packet_at(window, order[i]).len_bytes, aad_room);
        size_t most = lanes;
        while (most * stride > AEAD_SHARED_MEMORY_BYTES)
            most /= 2;
        const size_t shared = n - i < most ? n - i : most;
        if (shared < fewest || !(BATCH_ALWAYS || gains(window, order + i, shared, kernel))) {
            all &= process_alone(window, order[i]);
            i++;
            continue;
        }
        end = lower_end(end, aead_bundle(window, order + i, shared, stride));
        for (size_t j = i; j < i + shared; j++)
            all &= window->valid[order[j]];
        i += shared;
    }
    if (end != UINTPTR_MAX) /* once for all bundles */
        clear_stack_and_registers(end);
    for (i = 0; n != count && i < count; i++) {
        const hornet_packet p = packet_at(window, i);
        if (n == 0 || !may_share(&p))
            all &= process_alone(window, i);
    }
    return all;
}

bool hornet_aead_batch(const void *packets, size_t count, bool opens, bool *valid, enum aead_cipher cipher,
                       aead_alone *alone)
{
    bool sealed[AEAD_WINDOW], all = true;
    aead_window window = {packets, opens ? valid : sealed,       opens,
                          cipher,  hornet_aead_kernels_in_use(), alone};
    for (size_t first = 0; first < count; first += AEAD_WINDOW) {
        const size_t n = hornet_batch_window(first, count);
        all &= process_window(&window, n);
        if (cipher == AEAD_OPENSSH)
            window.packets = ssh_packet_at(&window, n);
        else
            window.packets = (const hornet_packet *)window.packets + n;
        if (opens)
            window.valid += n;
    }
    return all;
}

static bool packet_alone(const aead_window *window, size_t i)
{
    const hornet_packet *const p = (const hornet_packet *)window->packets + i;
    const aead_call call = {p->out,         p->in,    p->len_bytes, p->aad,
                            p->aad_bytes,   p->nonce, p->key,       window->cipher == AEAD_XCHACHA20,
                            window->kernels};
    return window->opens ? hornet_aead_open_call(p->tag, &call) : hornet_aead_seal_call(p->tag, &call);
}

bool hornet_chacha20_poly1305_seal_batch(const hornet_packet *packets, size_t count)
{
    return hornet_aead_batch(packets, count, false, NULL, AEAD_RFC8439, packet_alone);
}

bool hornet_chacha20_poly1305_open_batch(bool *valid, const hornet_packet *packets, size_t count)
{
    return hornet_aead_batch(packets, count, true, valid, AEAD_RFC8439, packet_alone);
}

bool hornet_xchacha20_poly1305_seal_batch(const hornet_packet *packets, size_t count)
{
    return hornet_aead_batch(packets, count, false, NULL, AEAD_XCHACHA20, packet_alone);
}

bool hornet_xchacha20_poly1305_open_batch(bool *valid, const hornet_packet *packets, size_t count)
{
    return hornet_aead_batch(packets, count, true, valid, AEAD_XCHACHA20, packet_alone);
}
