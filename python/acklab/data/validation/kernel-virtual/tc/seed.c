/* LD_PRELOAD for the kernel: getrandom() yields a stream from $LAB_SEED, so that what the kernel draws
 * (sequence numbers, ports, keys of hashes, BBR's phase) is a function of the seed. */
#define _GNU_SOURCE
#include <stdint.h>
#include <stdlib.h>
#include <sys/types.h>

static uint64_t state;
static int up;

ssize_t getrandom(void *to, size_t len, unsigned flags)
{
    unsigned char *p = to;

    (void)flags;
    if (!up) {
        const char *seed = getenv("LAB_SEED");
        state = seed ? strtoull(seed, 0, 10) : 1;
        up = 1;
    }
    for (size_t i = 0; i < len; i++) { /* splitmix64, its lowest byte */
        uint64_t z = (state += 0x9E3779B97F4A7C15ull);
        z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
        z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
        p[i] = z ^ (z >> 31);
    }
    return len;
}
