/**
 * What the program takes from the system without a parameter, replaced while a simulation runs:
 * timers, clocks, random identifiers, and the names of the process and the machine.
 *
 * Ensures   everything is as before when `inSimulation` has settled.
 */
import crypto from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';
import os from 'node:os';
import timers from 'node:timers/promises';
import type { Machine } from './machine.ts';

const MEMORY = 2 ** 27;

/** Runs `work`; everything below it sees the machine's time. */
export async function inSimulation<T>(machine: Machine, work: () => Promise<T>): Promise<T> {
  const undo: (() => void)[] = [];
  const replace = <Where extends object, Name extends keyof Where>(
    where: Where,
    name: Name,
    by: unknown,
  ) => {
    const old = Object.getOwnPropertyDescriptor(where, name);
    Object.defineProperty(where, name, { value: by, configurable: true, writable: true });
    undo.push(() =>
      old ? Object.defineProperty(where, name, old) : Reflect.deleteProperty(where, name),
    );
  };
  const after = (callback: (...args: unknown[]) => void, delay = 1, ...args: unknown[]) => {
    const cancel = machine.after(Math.max(1, delay), () => callback(...args));
    return { cancel, ref() {}, unref() {} };
  };
  const cancel = (timer?: { cancel?(): void }) => timer?.cancel?.();
  replace(globalThis, 'setTimeout', after);
  replace(globalThis, 'clearTimeout', cancel);
  replace(globalThis, 'setImmediate', (callback: () => void) => after(callback, 0.001));
  replace(timers, 'setImmediate', () => machine.takes(0.001));
  replace(globalThis.performance, 'now', () => machine.elapsed);
  replace(Date, 'now', () => machine.wall());
  replace(Math, 'random', () => machine.random(2 ** 30) / 2 ** 30);
  replace(crypto, 'randomUUID', () => uuid(machine));
  replace(os, 'hostname', () => 'simulation');
  replace(process, 'pid', 4711);
  replace(process.memoryUsage, 'rss', () => MEMORY);
  replace(process, 'cpuUsage', () => ({ user: 0, system: 1 }));
  replace(process, 'resourceUsage', () => ({ maxRSS: MEMORY }));
  syncBuiltinESMExports();
  try {
    return await work();
  } finally {
    for (const restore of undo.reverse()) restore();
    syncBuiltinESMExports();
  }
}

function uuid(machine: Machine): string {
  const digits = Array.from({ length: 32 }, () => machine.random(16).toString(16)).join('');
  return digits.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}
