import { totalmem } from 'node:os';

const MIB = 1024 * 1024;

/** Reports of the largest size that the process holds in memory. One account has half of them. */
export const BODIES = 4;
/** Reports that are read at a time, each in a process of its own. */
const READERS = 2;

/** The heap of a process that reads reports: what it needs anyway, and for each MiB of a report. */
const OWN_HEAP_MIB = 128;
const HEAP_PER_MIB = 10;
/** Outside of its heap it has its program, and for each MiB of a report the body and its unpacked form. */
const PROGRAM_MIB = 64;
const BYTES_PER_MIB = 2;
/** The server with its caches and JSON bodies. */
const SERVER_MIB = 300;

export const readerHeapMiB = (maxReport: number): number =>
  OWN_HEAP_MIB + Math.ceil((HEAP_PER_MIB * maxReport) / MIB);

/** The memory in MiB that the service may use, with a number of reports of the largest size being read. */
export function neededMiB(maxReport: number, readers = READERS): number {
  const report = maxReport / MIB;
  const reader = readerHeapMiB(maxReport) + PROGRAM_MIB + BYTES_PER_MIB * report;
  return Math.ceil(SERVER_MIB + BODIES * report + readers * reader);
}

/** The memory in MiB that this process and those that it starts have: of the container, or of the machine. */
export function availableMiB(): number {
  const constrained = process.constrainedMemory?.() || Number.POSITIVE_INFINITY;
  return Math.floor(Math.min(constrained, totalmem()) / MIB);
}

/** How many reports are read at a time: two, if the memory is enough for two of the largest size. */
export const readersFor = (maxReport: number, available = availableMiB()): number =>
  neededMiB(maxReport) <= available ? READERS : 1;

/** Why reports of the largest size may end processes for lack of memory; undefined if they do not. */
export function memoryShortage(maxReport: number, available = availableMiB()): string | undefined {
  const needed = neededMiB(maxReport, 1);
  return needed <= available
    ? undefined
    : `reports of SVC_MAX_REPORT (${Math.ceil(maxReport / MIB)} MiB) take up to ${needed} MiB, of ${available} MiB of memory`;
}
