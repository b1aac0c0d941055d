// What the text of kernels calls, defined; included by one file of a program.
#pragma once

#include "block.h"

MtBuiltins mt_builtins;

std::string mt::here() {
    const MtIndex& block = mt_builtins.block;
    return "thread " + std::to_string(now.thread) + " of block (" + std::to_string(block.x) + ", " +
           std::to_string(block.y) + ", " + std::to_string(block.z) + ")";
}

extern "C" {

void mt_barrier(int line) {
    mt::suspend(mt::Wait::barrier, line);
}

void mt_atomic_access(const void* at, unsigned long size) {
    mt::access(at, size, mt::Kind::atomic);
}

unsigned long long mt_exchange(int line, MtShuffle kind, unsigned mask, unsigned long long bits,
                               int operand, int width) {
    if (!mt::names(mask, mt::now.thread % 32))
        mt::fail("mask", line, mt::here() + " is not named in its own mask");
    mt::Thread& thread = *mt::running;
    thread.shuffle = kind;
    thread.mask = mask;
    thread.bits = bits;
    thread.operand = operand;
    thread.width = width;
    mt::suspend(mt::Wait::warp, line);
    return thread.bits;
}

}  // extern "C"
