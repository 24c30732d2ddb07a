# Hosts whose processors have AMX take back no less than their whole register set, of which User Mode Linux of 6.12 keeps the
# first 2,696 bytes (arch/x86/um/os-Linux/registers.c). What lies behind them stays as it is when a process begins.
/^int restore_fp_registers/i\
static char whole[1 << 14];\
static unsigned long whole_len;\
\
static void *all_of(int pid, unsigned long *fp_regs)\
{\
	struct iovec iov = { whole, sizeof(whole) };\
\
	if (!whole_len) {\
		if (ptrace(PTRACE_GETREGSET, pid, NT_X86_XSTATE, &iov) < 0)\
			return fp_regs;\
		whole_len = iov.iov_len;\
		memset(whole, 0, sizeof(whole));\
	}\
	memcpy(whole, fp_regs, FP_SIZE * sizeof(unsigned long));\
	return whole;\
}\

/^int restore_fp_registers/,/^}/{
s/iov\.iov_base = fp_regs;/iov.iov_base = all_of(pid, fp_regs);/
s/iov\.iov_len = .*/iov.iov_len = whole_len;/
}
s/^#include <stdlib.h>/&\
#include <string.h>/
