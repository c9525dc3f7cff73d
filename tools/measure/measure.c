/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Measures peers (peer.h) in turn, in random order, and prints every sample as a line of JSON.
 *
 *     measure [OPTION...] NAME=FILE.so[,poly1305=KERNEL][,chacha20=KERNEL]... < CASES
 *
 *     --rounds N    samples of each peer in each case; 11 if omitted
 *     --seed N      of the random order
 *     --no-check    does not compare results with the reference beforehand
 *     --tolerant    first of all: leaves out peers that do not run here, and measures those with wrong
 * results too, unless most are wrong
 *
 * A case is a line: operations joined by +, then what they work on, for example
 *
 *     mac len=1350 keys=64
 *     batch+mac lens=16,700,3
 *     pieces len=65536 first=16 then=4096
 *     seal len=1350 aad=13 peers=0,2
 *     run arg=3
 *
 * `keys` messages with as many keys and nonces are processed in turn; `offset` is that of the message from
 * a cache line; `chained=1` makes each tag the next key; `cold=1` has messages and keys in no cache;
 * `exact=N` makes N calls in a sample, which otherwise takes 15 microseconds; `rounds=N` replaces that of
 * the option. Each operation of each peer that has it is a subject. Each is timed once in each round. After
 * each sample, instructions that only take a slot and dependent multiplications are timed: while another
 * thread runs on the same core, the first take longer, and while the clock changes, both do. */
#define _GNU_SOURCE
#include "measure.h"
#include "chains.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

const char *const operation_names[] = {"mac",  "aes",        "pieces",     "batch", "seal",
                                       "open", "seal_batch", "open_batch", "run"};

enum {
    PEERS = 256,
    SUBJECTS = 2 * PEERS,
    MESSAGES = 4096,
    SLOTS = 16384,
    MULTIPLICATIONS = 1024,
    PAGE = 4096
};
static const double SAMPLE_NS = 15000;

static struct peer peers[PEERS];
static size_t peer_count;
static bool tolerant;

__attribute__((noreturn, format(printf, 1, 2))) static void fail(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fputs("measure: ", stderr);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
    exit(2);
}

uint64_t random_number(uint64_t *state)
{
    uint64_t z = (*state += UINT64_C(0x9e3779b97f4a7c15));
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

void random_fill(void *to, size_t len_bytes, uint64_t seed)
{
    uint8_t *bytes = to;
    for (; len_bytes != 0;) {
        const uint64_t word = random_number(&seed);
        const size_t n = len_bytes < sizeof word ? len_bytes : sizeof word;
        memcpy(bytes, &word, n);
        bytes += n;
        len_bytes -= n;
    }
}

/* Loading. */

/* Loads a copy of the file in memory of its own: where a library lies affects its speed, so that each
 * process has another place for it. */
static void *load(const char *path)
{
    static struct {
        const char *path;
        void *handle;
    } loaded[PEERS];
    size_t i = 0;
    for (; loaded[i].path != NULL; i++)
        if (strcmp(loaded[i].path, path) == 0)
            return loaded[i].handle;
    const int from = open(path, O_RDONLY), copy = memfd_create("peer", 0);
    uint8_t bytes[65536];
    ssize_t n = -1;
    while (from >= 0 && copy >= 0 && (n = read(from, bytes, sizeof bytes)) > 0)
        if (write(copy, bytes, (size_t)n) != n)
            fail("%s: cannot be copied", path);
    if (n != 0)
        fail("%s: %s", path, strerror(errno));
    close(from);
    char name[64]; /* `copy` stays open, because dlopen takes a file of the same name for the same one */
    snprintf(name, sizeof name, "/proc/self/fd/%d", copy);
    void *handle = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    if (handle == NULL)
        fail("%s: %s", path, dlerror());
    loaded[i].path = path;
    return loaded[i].handle = handle;
}

static void *symbol(void *handle, const char *name, const char *name_in_hornet)
{
    void *found = dlsym(handle, name);
    return found != NULL || name_in_hornet == NULL ? found : dlsym(handle, name_in_hornet);
}

static void add_peer(char *text)
{
    if (peer_count == PEERS)
        fail("more than %d peers", PEERS);
    struct peer *const p = &peers[peer_count++];
    char *path = strchr(text, '=');
    if (path == NULL)
        fail("%s: must be NAME=FILE", text);
    *path++ = 0;
    p->name = text;
    for (char *option = strchr(path, ','); option != NULL;) {
        *option++ = 0;
        char *const value = strchr(option, '='), *const next = strchr(option, ',');
        const int primitive = strncmp(option, "poly1305=", 9) == 0 ? 0 : 1;
        if (value == NULL || (primitive == 1 && strncmp(option, "chacha20=", 9) != 0))
            fail("%s: unknown option %s", p->name, option);
        p->kernels[primitive] = value + 1;
        option = next;
    }
    void *const handle = load(path);
    const struct peer_pieces *const pieces = dlsym(handle, "peer_pieces");
#define LOOK_UP(member, name, in_hornet) *(void **)&p->member = symbol(handle, name, in_hornet)
    LOOK_UP(init, "peer_init", NULL);
    LOOK_UP(get_version, "peer_version", "hornet_version");
    LOOK_UP(force, "hornet_kernel_force", NULL);
    LOOK_UP(in_use, "hornet_kernel_in_use", NULL);
    LOOK_UP(mac, "peer_mac", "hornet_poly1305");
    LOOK_UP(aes, "peer_aes", "hornet_poly1305_aes");
    LOOK_UP(batch, "peer_batch", "hornet_poly1305_batch");
    LOOK_UP(key, "peer_key", NULL);
    LOOK_UP(seal, "peer_seal", "hornet_chacha20_poly1305_seal");
    LOOK_UP(open, "peer_open", "hornet_chacha20_poly1305_open");
    LOOK_UP(seal_batch, "peer_seal_batch", "hornet_chacha20_poly1305_seal_batch");
    LOOK_UP(open_batch, "peer_open_batch", "hornet_chacha20_poly1305_open_batch");
    LOOK_UP(mac_loop, "peer_mac_loop", NULL);
    LOOK_UP(run, "peer_run", NULL);
    LOOK_UP(pieces.init, "hornet_poly1305_init", NULL);
    LOOK_UP(pieces.update, "hornet_poly1305_update", NULL);
    LOOK_UP(pieces.final, "hornet_poly1305_final", NULL);
    if (pieces != NULL)
        p->pieces = *pieces;
    p->state = aligned_alloc(64, STATE_BYTES);
    const char *const why = p->init != NULL ? p->init() : NULL;
    if (why != NULL) {
        if (!tolerant)
            fail("%s: %s", p->name, why);
        *p = (struct peer){.name = p->name, .missing = why};
        return;
    }
    p->version = p->get_version != NULL ? p->get_version() : NULL;
    for (int primitive = 0; primitive < PRIMITIVES; primitive++)
        if (p->kernels[primitive] != NULL &&
            (p->force == NULL || !p->force(primitive, p->kernels[primitive])))
            fail("%s: no kernel %s runs here", p->name, p->kernels[primitive]);
    bool any = false;
    for (enum operation operation = 0; operation < OPERATIONS; operation++)
        any |= has(p, operation);
    if (!any)
        fail("%s: %s has none of the functions in peer.h", p->name, path);
}

bool has(const struct peer *p, enum operation operation)
{
    const bool offers[OPERATIONS] = {
        [MAC] = p->mac != NULL || p->mac_loop != NULL,
        [AES] = p->aes != NULL,
        [PIECES] = p->pieces.init != NULL,
        [BATCH] = p->batch != NULL,
        [SEAL] = p->seal != NULL,
        [OPEN] = p->open != NULL,
        [SEAL_BATCH] = p->seal_batch != NULL,
        [OPEN_BATCH] = p->open_batch != NULL,
        [RUN] = p->run != NULL,
    };
    return offers[operation] && !p->wrong[operation];
}

void prepare(const struct peer *p)
{
    if (p->force != NULL)
        for (int primitive = 0; primitive < PRIMITIVES; primitive++)
            (void)p->force(primitive, p->kernels[primitive]);
}

/* Cases. */

struct work {
    bool operations[OPERATIONS], only[PEERS], has_only, chained, cold;
    size_t len_bytes, lens_bytes[MESSAGES], lens, aad_bytes, keys, offset, first, then, arg, exact, rounds;
    /* What the operations work on: a power of two for those that take one message after another. */
    size_t count;
    struct message messages[MESSAGES];
    /* The same for batches of Poly1305. */
    const void *msgs[MESSAGES];
    uint8_t (*tags)[TAG_BYTES], (*key_bytes)[KEY_BYTES];
    bool valid[MESSAGES];
};

static size_t number(const char *text)
{
    char *end;
    errno = 0;
    const unsigned long long value = strtoull(text, &end, 10);
    if (errno != 0 || end == text || (*end != 0 && *end != ',') || *text == '-')
        fail("%s is not a number", text);
    return (size_t)value;
}

static void parse(struct work *w, char *line, size_t rounds)
{
    memset(w, 0, offsetof(struct work, messages));
    w->keys = 64;
    w->rounds = rounds;
    char *save;
    char *word = strtok_r(line, " \n", &save), *save_name;
    for (char *name = strtok_r(word, "+", &save_name); name != NULL;
         name = strtok_r(NULL, "+", &save_name)) {
        enum operation operation = 0;
        while (operation < OPERATIONS && strcmp(name, operation_names[operation]) != 0)
            operation++;
        if (operation == OPERATIONS)
            fail("unknown operation %s", name);
        w->operations[operation] = true;
    }
    while ((word = strtok_r(NULL, " \n", &save)) != NULL) {
        char *value = strchr(word, '=');
        if (value == NULL)
            fail("%s: must be NAME=NUMBER", word);
        *value++ = 0;
        const struct {
            const char *name;
            size_t *to;
        } numbers[] = {{"len", &w->len_bytes}, {"aad", &w->aad_bytes}, {"keys", &w->keys},
                       {"offset", &w->offset}, {"first", &w->first},   {"then", &w->then},
                       {"arg", &w->arg},       {"exact", &w->exact},   {"rounds", &w->rounds}};
        size_t i = 0;
        while (i < sizeof numbers / sizeof *numbers && strcmp(word, numbers[i].name) != 0)
            i++;
        if (i < sizeof numbers / sizeof *numbers) {
            *numbers[i].to = number(value);
        } else if (strcmp(word, "chained") == 0) {
            w->chained = number(value) != 0;
        } else if (strcmp(word, "cold") == 0) {
            w->cold = number(value) != 0;
        } else if (strcmp(word, "lens") == 0 || strcmp(word, "peers") == 0) {
            for (char *next = value; next != NULL; value = next + 1) {
                next = strchr(value, ',');
                const size_t n = number(value);
                if (word[0] == 'l' && w->lens < MESSAGES)
                    w->lens_bytes[w->lens++] = n;
                else if (word[0] == 'p' && n < PEERS)
                    w->has_only = w->only[n] = true;
                else
                    fail("%s: too many", word);
            }
        } else {
            fail("unknown quantity %s", word);
        }
    }
    w->count = w->chained ? 1 : w->lens != 0 ? w->lens : w->keys;
    if (w->count == 0 || w->count > MESSAGES || (w->count & (w->count - 1)) != 0)
        fail("%zu messages: must be a power of two up to %d", w->count, MESSAGES);
    if ((w->operations[OPEN] || w->operations[OPEN_BATCH]) &&
        (w->operations[SEAL] || w->operations[SEAL_BATCH]))
        fail("what is opened must not be sealed in the same case");
    if (w->operations[PIECES] && w->then == 0)
        fail("then=0: pieces have at least one byte");
}

/* Returns noise of that length, or more, from the start of a page; the same in each call with the same
 * number. The page before it is in use too, as in most programs: a kernel that loads from there with a mask
 * would take hundreds of cycles more if the page were not present. */
static uint8_t *memory(int which, size_t len_bytes)
{
    static struct {
        uint8_t *at;
        size_t bytes;
    } all[8];
    if (all[which].bytes < len_bytes + PAGE + 1) {
        if (all[which].bytes != 0)
            munmap(all[which].at, all[which].bytes);
        const size_t bytes = (len_bytes + 2 * PAGE) / PAGE * PAGE;
        void *const at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (at == MAP_FAILED)
            fail("not enough memory for %zu bytes", len_bytes);
        all[which].at = at;
        all[which].bytes = bytes;
        random_fill(at, bytes, (uint64_t)which);
    }
    return all[which].at + PAGE;
}

/* Input and output of a packet are at different places of a page. */
enum { OUTPUT_OFFSET = 2048 + 64 };

static void arrange(struct work *w)
{
    const bool aead = w->operations[SEAL] || w->operations[OPEN] || w->operations[SEAL_BATCH] ||
                      w->operations[OPEN_BATCH];
    size_t at[MESSAGES], end = w->offset;
    uint64_t seed = 7;
    for (size_t i = 0; i < w->count; i++) {
        if (w->lens == 0)
            w->lens_bytes[i] = w->len_bytes;
        at[i] = end;
        if (w->cold) /* so that prefetching one message does not load the next */
            end += (w->len_bytes + 2 * PAGE - 1) / PAGE * PAGE;
        else if (w->lens != 0)
            end += w->lens_bytes[i];
    }
    end += w->len_bytes;
    for (size_t i = w->count - 1; w->cold && i > 0; i--) { /* in an order that is not a stride */
        const size_t other = random_number(&seed) % (i + 1), place = at[i];
        at[i] = at[other];
        at[other] = place;
    }
    uint8_t *const in = memory(0, end), *const aad = memory(1, w->aad_bytes + 1);
    uint8_t *const out = aead ? memory(2, OUTPUT_OFFSET + end) + OUTPUT_OFFSET : NULL;
    uint8_t *const nonces = memory(3, 16 * w->count);
    w->tags = (uint8_t(*)[TAG_BYTES])memory(4, TAG_BYTES * w->count);
    w->key_bytes = (uint8_t(*)[KEY_BYTES])memory(5, KEY_BYTES * w->count);
    for (size_t i = 0; i < w->count; i++) {
        w->messages[i] = (struct message){
            aead ? out + at[i] : NULL,  in + at[i], w->lens_bytes[i], aad, w->aad_bytes, nonces + 16 * i,
            w->key_bytes[aead ? 0 : i], w->tags[i],
        };
        w->msgs[i] = in + at[i];
        if (w->operations[AES]) /* clamps r, the second half */
            for (int k = 16; k < 32; k++)
                w->key_bytes[i][k] &= k % 4 == 3 ? 15 : k % 4 == 0 && k > 16 ? 252 : 255;
    }
}

/* Makes the tags those of the messages as ciphertexts: what is sealed twice is what it was. */
static void make_tags(const struct work *w)
{
    size_t which = 0;
    while (which < peer_count && !has(&peers[which], SEAL))
        which++;
    if (which == peer_count)
        fail("open: no peer seals");
    const struct peer *const p = &peers[which];
    prepare(p);
    if (p->key != NULL)
        p->key(w->messages[0].key);
    for (size_t i = 0; i < w->count; i++) {
        const struct message *const m = &w->messages[i];
        uint8_t *const again = memory(6, m->len_bytes + 1);
        if (!p->seal(m->out, m->tag, m->in, m->len_bytes, m->aad, m->aad_bytes, m->nonce, m->key) ||
            !p->seal(again, m->tag, m->out, m->len_bytes, m->aad, m->aad_bytes, m->nonce, m->key))
            fail("%s: does not seal", p->name);
    }
}

/* What is timed. */

void in_pieces(const struct peer *p, const struct message *m, size_t first, size_t then)
{
    const struct peer_pieces pieces = p->pieces;
    const uint8_t *piece = m->in;
    size_t left = m->len_bytes, n = first < left ? first : left;
    pieces.init(p->state, m->key);
    for (;;) {
        pieces.update(p->state, piece, n);
        piece += n;
        left -= n;
        if (left == 0)
            break;
        n = then < left ? then : left;
    }
    pieces.final(p->state, m->tag);
}

/* As all callers do that have r from a tag: reads two halves, as most peers write them, and writes 16 bytes
 * at once, so that stores are forwarded for every peer. */
typedef uint64_t halves __attribute__((vector_size(16)));

static inline void copy_tag(uint8_t *to, const uint8_t *from)
{
    uint64_t low, high;
    memcpy(&low, from, 8);
    memcpy(&high, from + 8, 8);
    const halves both = {low, high};
    memcpy(to, &both, sizeof both);
}

static inline void next_nonce(uint8_t *nonce)
{
    halves value;
    memcpy(&value, nonce, sizeof value);
    value += (halves){1, 0};
    memcpy(nonce, &value, sizeof value);
}

/* Processes `count` messages in turn. Returns false if an operation fails. */
__attribute__((noinline)) static bool process(const struct peer *peer, enum operation operation,
                                              struct work *w, size_t count)
{
    const struct peer p = *peer;
    const struct message *const messages = w->messages;
    const size_t mask = w->count - 1;
    bool done = true;
    switch (operation) {
    case MAC:
        if (p.mac_loop != NULL) {
            p.mac_loop(messages, mask, count, w->chained);
        } else if (w->chained) {
            for (size_t i = 0; i < count; i++) {
                const struct message *const m = &messages[i & mask];
                p.mac(m->tag, m->in, m->len_bytes, m->key);
                copy_tag(m->key, m->tag);
            }
        } else {
            for (size_t i = 0; i < count; i++) {
                const struct message *const m = &messages[i & mask];
                p.mac(m->tag, m->in, m->len_bytes, m->key);
            }
        }
        break;
    case AES:
        for (size_t i = 0; i < count; i++) {
            const struct message *const m = &messages[i & mask];
            done &= p.aes(m->tag, m->in, m->len_bytes, m->nonce, m->key);
            next_nonce(m->nonce);
        }
        break;
    case PIECES:
        for (size_t i = 0; i < count; i++)
            in_pieces(peer, &messages[i & mask], w->first, w->then);
        break;
    case SEAL:
        for (size_t i = 0; i < count; i++) {
            const struct message *const m = &messages[i & mask];
            done &= p.seal(m->out, m->tag, m->in, m->len_bytes, m->aad, m->aad_bytes, m->nonce, m->key);
        }
        break;
    case OPEN:
        for (size_t i = 0; i < count; i++) {
            const struct message *const m = &messages[i & mask];
            done &= p.open(m->out, m->in, m->len_bytes, m->tag, m->aad, m->aad_bytes, m->nonce, m->key);
        }
        break;
    case BATCH:
        for (size_t i = 0; i < count; i += w->count)
            p.batch(w->tags, w->msgs, w->lens_bytes, (const uint8_t(*)[KEY_BYTES])w->key_bytes, w->count);
        break;
    case SEAL_BATCH:
        for (size_t i = 0; i < count; i += w->count)
            done &= p.seal_batch(messages, w->count);
        break;
    case OPEN_BATCH:
        for (size_t i = 0; i < count; i += w->count)
            done &= p.open_batch(w->valid, messages, w->count);
        break;
    default:
        p.run(w->arg, count);
    }
    return done;
}

EMPTY_SLOTS(SLOTS)
CHAIN_OF_MULTIPLICATIONS(MULTIPLICATIONS)

static void evict(const struct work *w)
{
#ifdef __x86_64__
    for (size_t i = 0; i < w->count; i++) {
        const struct message *const m = &w->messages[i];
        __builtin_ia32_clflush(m->key);
        for (size_t k = 0; k < m->len_bytes + 64; k += 64)
            __builtin_ia32_clflush(m->in + (k < m->len_bytes ? k : m->len_bytes));
    }
    __builtin_ia32_mfence();
#else
    (void)w;
    fail("cold=1: only on x86-64");
#endif
}

/* If a peer left values in the upper halves of registers, some CPUs would slow down the next one. */
static void clear_upper_halves(void)
{
#ifdef __x86_64__
    if (__builtin_cpu_supports("avx"))
        __asm__ volatile("vzeroupper" ::: "memory");
#endif
}

struct subject {
    const struct peer *peer;
    enum operation operation;
    size_t step, count; /* of messages in a sample: a multiple of step */
    uint32_t *ns, *slot, *mul;
};

static uint64_t timed(const struct subject *s, struct work *w, size_t count)
{
    const uint64_t begin = now();
    const bool done = process(s->peer, s->operation, w, count);
    const uint64_t ns = now() - begin;
    if (!done)
        fail("%s: %s failed", s->peer->name, operation_names[s->operation]);
    return ns;
}

static void ready(const struct subject *s, const struct work *w)
{
    prepare(s->peer);
    if (s->peer->key != NULL && w->messages[0].out != NULL)
        s->peer->key(w->messages[0].key);
}

/* Chooses the number of messages that fills a sample. The least of three times counts, because another
 * process may have interrupted one. */
static void choose_count(struct subject *s, struct work *w)
{
    size_t count = s->step;
    ready(s, w);
    timed(s, w, count); /* the first is slower */
    for (;; count *= 2) {
        double ns = (double)timed(s, w, count);
        for (int i = 0; i < 2 && ns >= SAMPLE_NS / 2; i++) {
            const double again = (double)timed(s, w, count);
            ns = again < ns ? again : ns;
        }
        if (ns >= SAMPLE_NS / 2) {
            const size_t filling = (size_t)((double)count * SAMPLE_NS / ns);
            s->count = (filling + s->step - (filling != 0)) / s->step * s->step;
            return;
        }
    }
}

static void take_sample(struct subject *s, struct work *w, size_t round)
{
    ready(s, w);
    if (w->cold)
        evict(w);
    else if (w->exact == 0)
        timed(s, w, (s->count / 8 + s->step - 1) / s->step * s->step);
    clear_upper_halves();
    s->ns[round] = (uint32_t)timed(s, w, s->count);
    s->slot[round] = (uint32_t)empty_slots();
    s->mul[round] = (uint32_t)multiplications();
}

static void print_numbers(const char *name, const uint32_t *numbers, size_t count)
{
    printf(", \"%s\": [", name);
    for (size_t i = 0; i < count; i++)
        printf("%s%u", i == 0 ? "" : ",", numbers[i]);
    printf("]");
}

static void measure(struct work *w, size_t which, uint64_t *seed)
{
    static struct subject subjects[SUBJECTS];
    size_t count = 0, order[SUBJECTS];
    arrange(w);
    if (w->operations[OPEN] || w->operations[OPEN_BATCH])
        make_tags(w);
    for (enum operation operation = 0; operation < OPERATIONS; operation++)
        for (size_t i = 0; w->operations[operation] && i < peer_count; i++)
            if (has(&peers[i], operation) && (!w->has_only || w->only[i]) && count < SUBJECTS) {
                const bool whole = operation == BATCH || operation == SEAL_BATCH ||
                                   operation == OPEN_BATCH || w->lens != 0 || w->keys > 64;
                uint32_t *const samples = calloc(3 * w->rounds, sizeof *samples);
                if (samples == NULL)
                    fail("not enough memory");
                order[count] = count;
                subjects[count++] = (struct subject){
                    &peers[i], operation,           whole ? w->count : 1,   w->cold ? w->count : w->exact,
                    samples,   samples + w->rounds, samples + 2 * w->rounds};
            }
    for (size_t i = 0; i < count; i++)
        if (subjects[i].count == 0)
            choose_count(&subjects[i], w);
    for (size_t round = 0; round < w->rounds; round++)
        for (size_t i = 0; i < count; i++) {
            const size_t other = i + random_number(seed) % (count - i), now_first = order[other];
            order[other] = order[i];
            order[i] = now_first;
            take_sample(&subjects[now_first], w, round);
        }
    for (size_t i = 0; i < count; i++) {
        const struct subject *const s = &subjects[i];
        printf("{\"case\": %zu, \"op\": \"%s\", \"peer\": %zu, \"count\": %zu", which,
               operation_names[s->operation], (size_t)(s->peer - peers), s->count);
        print_numbers("ns", s->ns, w->rounds);
        print_numbers("slot", s->slot, w->rounds);
        print_numbers("mul", s->mul, w->rounds);
        puts("}");
        free(s->ns);
    }
}

int main(int argc, char **argv)
{
    static struct work work;
    size_t rounds = 11;
    uint64_t seed = 1;
    bool checks = true;
    for (int i = 1; i < argc; i++)
        if (strcmp(argv[i], "--no-check") == 0)
            checks = false;
        else if (strcmp(argv[i], "--tolerant") == 0)
            tolerant = true;
        else if ((strcmp(argv[i], "--rounds") == 0 || strcmp(argv[i], "--seed") == 0) && i + 1 < argc)
            *(argv[i][2] == 'r' ? &rounds : &seed) = number(argv[i + 1]), i++;
        else
            add_peer(argv[i]);
    if (peer_count == 0 || rounds == 0)
        fail("there is nothing to measure");
    printf("{\"slots\": %d, \"multiplications\": %d, \"peers\": [", SLOTS, MULTIPLICATIONS);
    for (size_t i = 0; i < peer_count; i++) {
        const struct peer *const p = &peers[i];
        prepare(p);
        printf("%s{\"name\": \"%s\"", i == 0 ? "" : ", ", p->name);
        if (p->version != NULL)
            printf(", \"version\": \"%s\"", p->version);
        if (p->missing != NULL)
            printf(", \"missing\": \"%s\"", p->missing);
        if (p->in_use != NULL)
            printf(", \"kernels\": [\"%s\", \"%s\", \"%s\"]", p->in_use(0), p->in_use(1), p->in_use(2));
        printf("}");
    }
    puts("]}");
    if (checks && check_all(peers, peer_count) != 0 && !tolerant)
        return 1;
    char *line = NULL;
    size_t capacity = 0;
    for (size_t which = 0; getline(&line, &capacity, stdin) > 0; which++) {
        parse(&work, line, rounds);
        measure(&work, which, &seed);
    }
    free(line);
    return fflush(stdout) != 0 || ferror(stdout);
}
