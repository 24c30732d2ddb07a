/* A link between two network namespaces, in user space, over two TUN devices.
 *
 *   emulator NS_A NS_B RATE_BPS QUEUE DELAY_US THIN TIMER_US SECONDS [PAUSES]
 *
 * Forward (A to B): a drop-tail queue of QUEUE packets behind the one in service, a serialiser of IP
 * bytes, a one-way delay. Reverse: an ACK thinner that keeps the newest pure ACK and lets it go at
 * the THIN-th or TIMER_US after the first one held (anything else flushes it first), the same delay,
 * no rate.
 * What happens between two wake-ups is computed with its ideal times: being late never slows the
 * link. SECONDS count from the first packet. PAUSES is a file of "start_us length_us" lines, from the
 * first packet on, in order: then the program does nothing at all, as if it had lost its processor.
 *
 * Prints one line of "name value" pairs. Release errors are how long after its due time a packet
 * was written to the other side, in us.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/if_tun.h>
#include <net/if.h>
#include <poll.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

enum { MTU = 1500, RING = 8192, SAMPLES = 1 << 19, SPIN_NS = 15000 };

typedef int64_t ns_t;
typedef struct { ns_t due; int len; unsigned char bytes[MTU]; } packet;
typedef struct { packet *slot; unsigned first, next; } ring;
typedef struct { ns_t start, length; } pause_t;
typedef struct { float *us; size_t n; } errors;

static struct { int in, out; ring queue, flying; packet serving; int busy; ns_t free_at; long packets, drops; unsigned deepest; errors late; } fwd;
static struct { int in, out; ring flying; packet held; int count; ns_t deadline; long acks_in, acks_out, by_timer; errors late; } rev;
static ns_t rate, delay, timer;
static int capacity, thin;

static void fail(const char *what) { perror(what); exit(1); }

static ns_t now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000LL + t.tv_nsec;
}

/* ---- set-up ---- */

static int tun(const char *ns, const char *name)
{
	char path[256];
	snprintf(path, sizeof path, "/run/netns/%s", ns);
	int f = open(path, O_RDONLY);
	if (f < 0 || setns(f, CLONE_NEWNET)) fail(path);
	close(f);
	int d = open("/dev/net/tun", O_RDWR | O_NONBLOCK);
	struct ifreq r = { .ifr_flags = IFF_TUN | IFF_NO_PI };
	strncpy(r.ifr_name, name, IFNAMSIZ - 1);
	if (d < 0 || ioctl(d, TUNSETIFF, &r)) fail("TUNSETIFF");
	return d;
}

static ring ring_new(void)
{
	ring r = { malloc(RING * sizeof(packet)), 0, 0 };
	memset(r.slot, 0, RING * sizeof(packet)); /* touch the pages now */
	return r;
}

static errors errors_new(void)
{
	errors e = { malloc(SAMPLES * sizeof(float)), 0 };
	memset(e.us, 0, SAMPLES * sizeof(float));
	return e;
}

static size_t read_pauses(const char *path, pause_t **out)
{
	size_t n = 0, room = 4096;
	*out = malloc(room * sizeof(pause_t));
	FILE *f = fopen(path, "r");
	if (!f) fail(path);
	double start, length;
	while (fscanf(f, "%lf %lf", &start, &length) == 2) {
		if (n == room) *out = realloc(*out, (room *= 2) * sizeof(pause_t));
		(*out)[n++] = (pause_t){ (ns_t)(start * 1e3), (ns_t)(length * 1e3) };
	}
	fclose(f);
	return n;
}

/* ---- the link ---- */

static unsigned waiting(const ring *r) { return r->next - r->first; }
static packet *head(const ring *r) { return waiting(r) ? &r->slot[r->first % RING] : NULL; }

static void push(ring *r, const packet *p, ns_t due)
{
	if (waiting(r) == RING) { fprintf(stderr, "ring full\n"); exit(1); }
	packet *to = &r->slot[r->next++ % RING];
	memcpy(to->bytes, p->bytes, p->len);
	to->len = p->len;
	to->due = due;
}

static ns_t serialisation(int len) { return len * 8000000000LL / rate; }

/* Lets the serialiser work until `t`, at ideal times. */
static void serve(ns_t t)
{
	while (fwd.busy && fwd.free_at <= t) {
		push(&fwd.flying, &fwd.serving, fwd.free_at + delay);
		packet *p = head(&fwd.queue);
		if (p) {
			fwd.serving = *p;
			fwd.queue.first++;
			fwd.free_at += serialisation(p->len);
		} else {
			fwd.busy = 0;
		}
	}
}

static int ipv4_tcp(const packet *p) { return p->len >= 40 && p->bytes[0] >> 4 == 4 && p->bytes[9] == 6; }

static int pure_ack(const packet *p)
{
	int ip = (p->bytes[0] & 15) * 4;
	const unsigned char *tcp = p->bytes + ip;
	return p->len == ip + (tcp[12] >> 4) * 4 && (tcp[13] & 0x17) == 0x10; /* ACK; no FIN, SYN, RST */
}

static void forward_in(const packet *p, ns_t t)
{
	serve(t);
	fwd.packets++;
	if (!fwd.busy) {
		fwd.busy = 1;
		fwd.serving = *p;
		fwd.free_at = t + serialisation(p->len);
	} else if ((int)waiting(&fwd.queue) < capacity) {
		push(&fwd.queue, p, 0);
	} else {
		fwd.drops++;
	}
	if (waiting(&fwd.queue) + fwd.busy > fwd.deepest) fwd.deepest = waiting(&fwd.queue) + fwd.busy;
}

static void flush_held(ns_t t)
{
	if (!rev.count) return;
	push(&rev.flying, &rev.held, t + delay);
	rev.count = 0;
	rev.acks_out++;
}

static void reverse_in(const packet *p, ns_t t)
{
	int pure = pure_ack(p);
	rev.acks_in += pure;
	if (thin > 1 && pure) {
		if (!rev.count++) rev.deadline = t + timer;
		rev.held = *p;
		if (rev.count >= thin) flush_held(t);
		return;
	}
	flush_held(t);
	push(&rev.flying, p, t + delay);
	rev.acks_out += pure;
}

static void release(ring *flying, int out, errors *late)
{
	packet *p;
	ns_t t;
	while ((p = head(flying)) && p->due <= (t = now())) {
		if (late->n < SAMPLES) late->us[late->n++] = (t - p->due) / 1e3f;
		if (write(out, p->bytes, p->len) < 0) fail("write");
		flying->first++;
	}
}

static ns_t earliest(ns_t limit)
{
	packet *p;
	if ((p = head(&fwd.flying)) && p->due < limit) limit = p->due;
	if (!p && fwd.busy && fwd.free_at + delay < limit) limit = fwd.free_at + delay;
	if ((p = head(&rev.flying)) && p->due < limit) limit = p->due;
	if (rev.count && rev.deadline < limit) limit = rev.deadline;
	return limit;
}

/* ---- report ---- */

static int by_size(const void *a, const void *b)
{
	float x = *(const float *)a, y = *(const float *)b;
	return (x > y) - (x < y);
}

static void print_errors(const char *name, errors *e)
{
	if (!e->n) return;
	qsort(e->us, e->n, sizeof(float), by_size);
	printf(" %s_p50_us %.1f %s_p99_us %.1f %s_max_us %.1f", name, e->us[e->n / 2], name, e->us[e->n * 99 / 100], name, e->us[e->n - 1]);
}

int main(int argc, char **argv)
{
	if (argc < 9) { fprintf(stderr, "see the top of emulator.c\n"); return 1; }
	rate = atoll(argv[3]);
	capacity = atoi(argv[4]);
	delay = atoll(argv[5]) * 1000;
	thin = atoi(argv[6]);
	timer = atoll(argv[7]) * 1000;
	ns_t length = (ns_t)(atof(argv[8]) * 1e9);
	pause_t *pauses = NULL;
	size_t pause_count = argc > 9 ? read_pauses(argv[9], &pauses) : 0, pause_next = 0;

	fwd.in = rev.out = tun(argv[1], "tunA");
	rev.in = fwd.out = tun(argv[2], "tunB");
	fwd.queue = ring_new(), fwd.flying = ring_new(), rev.flying = ring_new();
	fwd.late = errors_new(), rev.late = errors_new();
	mlockall(MCL_CURRENT | MCL_FUTURE);
	fprintf(stderr, "ready\n");

	static packet p;
	ns_t first = 0, begun = now(), t;
	for (;;) {
		t = now();
		if (first ? t - first > length : t - begun > 30000000000LL) break;
		if (first && pause_next < pause_count && t - first >= pauses[pause_next].start) {
			ns_t end = first + pauses[pause_next].start + pauses[pause_next].length;
			pause_next++;
			struct timespec until = { end / 1000000000LL, end % 1000000000LL };
			while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL) == EINTR) {}
		}
		while ((p.len = read(fwd.in, p.bytes, MTU)) > 0) {
			t = now();
			if (!ipv4_tcp(&p)) continue;
			if (!first) first = t;
			forward_in(&p, t);
		}
		serve(now());
		release(&fwd.flying, fwd.out, &fwd.late);
		/* First what was due, then what is new: a late timer must not let newer ACKs jump ahead. */
		if (rev.count && rev.deadline <= now()) {
			flush_held(rev.deadline);
			rev.by_timer++;
		}
		while ((p.len = read(rev.in, p.bytes, MTU)) > 0)
			if (ipv4_tcp(&p)) reverse_in(&p, now());
		release(&rev.flying, rev.out, &rev.late);

		ns_t limit = now() + 100000000;
		if (first && pause_next < pause_count && first + pauses[pause_next].start < limit) limit = first + pauses[pause_next].start;
		ns_t rest = earliest(limit) - now() - SPIN_NS;
		if (rest > 0) {
			struct pollfd fds[2] = { { fwd.in, POLLIN, 0 }, { rev.in, POLLIN, 0 } };
			struct timespec wait = { rest / 1000000000LL, rest % 1000000000LL };
			ppoll(fds, 2, &wait, NULL);
		}
	}
	printf("fwd_pkts %ld drop_queue %ld qmax %u ack_in %ld ack_out %ld ack_timer_releases %ld", fwd.packets, fwd.drops, fwd.deepest, rev.acks_in, rev.acks_out, rev.by_timer);
	print_errors("release_err", &fwd.late);
	print_errors("rev_release_err", &rev.late);
	putchar('\n');
	return 0;
}
