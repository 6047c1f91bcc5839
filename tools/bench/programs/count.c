// SPDX-License-Identifier: Apache-2.0
// A plugin of qemu that counts executed instructions and prints the number at the end. It declares
// the few functions that it calls, since Debian's qemu comes without the header of plugins; they
// are the same in all of its versions. PLUGIN_VERSION is what the emulator asks for.
#include <inttypes.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

typedef uint64_t Id;
typedef struct qemu_plugin_tb Block;
enum { kNoRegisters = 0 };

extern size_t qemu_plugin_tb_n_insns(const Block* block);
extern void qemu_plugin_register_vcpu_tb_trans_cb(Id id, void (*callback)(Id, Block*));
extern void qemu_plugin_register_vcpu_tb_exec_cb(Block* block, void (*callback)(unsigned, void*),
                                                 int flags, void* data);
extern void qemu_plugin_register_atexit_cb(Id id, void (*callback)(Id, void*), void* data);

int qemu_plugin_version = PLUGIN_VERSION;

static uint64_t executed;

static void Execute(unsigned processor, void* instructions) {
  (void)processor;
  executed += (uintptr_t)instructions;
}

static void Translate(Id id, Block* block) {
  (void)id;
  qemu_plugin_register_vcpu_tb_exec_cb(block, Execute, kNoRegisters,
                                       (void*)(uintptr_t)qemu_plugin_tb_n_insns(block));
}

static void Exit(Id id, void* data) {
  (void)id;
  (void)data;
  fprintf(stderr, "\ninstructions %" PRIu64 "\n", executed);
}

int qemu_plugin_install(Id id, const void* info, int count, char** arguments) {
  (void)info;
  (void)count;
  (void)arguments;
  qemu_plugin_register_vcpu_tb_trans_cb(id, Translate);
  qemu_plugin_register_atexit_cb(id, Exit, NULL);
  return 0;
}
