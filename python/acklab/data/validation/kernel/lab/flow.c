/* One bulk flow.
 *
 *   flow sink PORT
 *   flow send ADDRESS PORT CC SECONDS WARMUP
 *
 * The sender writes 64 KiB at a time for SECONDS and closes with a reset. From WARMUP on a thread of its
 * own reads TCP_INFO each 100 ms. Prints one line of "name value" pairs.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <linux/tcp.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { CHUNK = 65536, ROOM = 4096 };
static const double PERIOD = 0.1;

static char chunk[CHUNK];
static int sock;
static double begun, seconds, warmup;
static struct { unsigned cwnd[ROOM], rtt[ROOM]; int n; double latest; struct tcp_info last; double warm_bytes, warm_at; } seen;

static void fail(const char *what) { perror(what); exit(1); }

static double now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}

static void sleep_until(double when)
{
	struct timespec t = { (time_t)when, (long)((when - (time_t)when) * 1e9) };
	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL) == EINTR) {}
}

static struct tcp_info info(void)
{
	struct tcp_info i;
	socklen_t len = sizeof i;
	memset(&i, 0, sizeof i);
	if (getsockopt(sock, IPPROTO_TCP, TCP_INFO, &i, &len)) fail("TCP_INFO");
	return i;
}

/* Samples until the end, and takes the last totals just there. */
static void *sampler(void *unused)
{
	(void)unused;
	for (double due = begun + warmup; due < begun + seconds; due += PERIOD) {
		sleep_until(due);
		if (now() - due > seen.latest) seen.latest = now() - due;
		struct tcp_info i = info();
		if (!seen.n) seen.warm_bytes = i.tcpi_bytes_acked, seen.warm_at = now();
		if (seen.n < ROOM) seen.cwnd[seen.n] = i.tcpi_snd_cwnd, seen.rtt[seen.n++] = i.tcpi_rtt;
	}
	sleep_until(begun + seconds);
	seen.last = info();
	seconds = now() - begun;
	return NULL;
}

static int by_size(const void *a, const void *b)
{
	unsigned x = *(const unsigned *)a, y = *(const unsigned *)b;
	return (x > y) - (x < y);
}

static void report(void)
{
	double sum = 0, bytes = seen.last.tcpi_bytes_acked;
	for (int i = 0; i < seen.n; i++) sum += seen.cwnd[i];
	qsort(seen.cwnd, seen.n, sizeof(unsigned), by_size);
	qsort(seen.rtt, seen.n, sizeof(unsigned), by_size);
	printf("secs %.3f goodput_mbps %.4f goodput_after_warm_mbps %.4f total_retrans %u data_segs_out %u segs_in %u "
	       "cwnd_mean %.1f cwnd_p50 %u cwnd_min %u cwnd_max %u rtt_p50_us %u rtt_p95_us %u min_rtt_us %u dsack %u "
	       "mss %u sampler_late_max_ms %.1f\n",
	       seconds, bytes * 8 / seconds / 1e6, (bytes - seen.warm_bytes) * 8 / (begun + seconds - seen.warm_at) / 1e6,
	       seen.last.tcpi_total_retrans, seen.last.tcpi_data_segs_out, seen.last.tcpi_segs_in, sum / seen.n, seen.cwnd[seen.n / 2],
	       seen.cwnd[0], seen.cwnd[seen.n - 1], seen.rtt[seen.n / 2], seen.rtt[seen.n * 95 / 100], seen.last.tcpi_min_rtt,
	       seen.last.tcpi_dsack_dups, seen.last.tcpi_snd_mss, seen.latest * 1e3);
}

static int sink(const char *port)
{
	struct sockaddr_in a = { .sin_family = AF_INET, .sin_port = htons(atoi(port)) };
	int l = socket(AF_INET, SOCK_STREAM, 0);
	if (bind(l, (void *)&a, sizeof a) || listen(l, 1)) fail("bind");
	int s = accept(l, NULL, NULL);
	while (read(s, chunk, CHUNK) > 0) {}
	return 0;
}

static int send_bulk(char **argv)
{
	struct sockaddr_in a = { .sin_family = AF_INET, .sin_port = htons(atoi(argv[3])) };
	inet_aton(argv[2], &a.sin_addr);
	sock = socket(AF_INET, SOCK_STREAM, 0);
	if (setsockopt(sock, IPPROTO_TCP, TCP_CONGESTION, argv[4], strlen(argv[4]))) fail(argv[4]);
	if (connect(sock, (void *)&a, sizeof a)) fail("connect");
	seconds = atof(argv[5]);
	warmup = atof(argv[6]);
	begun = now();
	double end = begun + seconds;
	pthread_t thread;
	if (pthread_create(&thread, NULL, sampler, NULL)) fail("pthread_create");
	while (now() < end && write(sock, chunk, CHUNK) > 0) {}
	pthread_join(thread, NULL);
	report();
	struct linger reset = { 1, 0 };
	setsockopt(sock, SOL_SOCKET, SO_LINGER, &reset, sizeof reset);
	close(sock);
	return 0;
}

int main(int argc, char **argv)
{
	if (argc == 3 && !strcmp(argv[1], "sink")) return sink(argv[2]);
	if (argc == 7 && !strcmp(argv[1], "send")) return send_bulk(argv);
	fprintf(stderr, "see the top of flow.c\n");
	return 1;
}
