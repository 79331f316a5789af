// Whether the configured memory fits into what this machine, container or service unit has (docs/operating.md, Sizing).
import {totalmem} from 'node:os';
import type {Config} from './config.js';

const mib = 1024 * 1024;

/** Service and nats-server with empty stores and under load (measured; docs/operating.md, Sizing). */
const baseBytes = {service: 260 * mib, natsServer: 140 * mib};

/** Bytes that this process and its nats-server may use together: the limit of a container or service unit, or the machine's. */
export function memoryLimitBytes(): number {
  const constrained = process.constrainedMemory();
  return constrained > 0 ? Math.min(constrained, totalmem()) : totalmem();
}

type Memory = Pick<Config, 'cacheBytesMax' | 'dedupeBytesMax' | 'funnelBytesMax' | 'nats'>;

/**
 * A sentence for the operator if service, nats-server and the bounds of memory together exceed `limitBytes`; undefined if they
 * fit.
 */
export function memoryDoubt(config: Memory, limitBytes: number): string | undefined {
  const {cacheBytesMax, dedupeBytesMax, funnelBytesMax, nats} = config;
  const own = baseBytes.service + (nats.kind === 'embedded' ? baseBytes.natsServer : 0);
  const neededBytes = own + cacheBytesMax + dedupeBytesMax + funnelBytesMax;
  if (neededBytes <= limitBytes) return undefined;
  const inMib = (bytes: number): number => Math.round(bytes / mib);
  return (
    `the service may grow to ${inMib(neededBytes)} MiB, and ${inMib(limitBytes)} are here: the kernel would kill it. ` +
    `${inMib(own)} are needed in any case; lower MEMORY_CACHE_MIB (${inMib(cacheBytesMax)}), ` +
    `DEDUPE_MEMORY_MIB (${inMib(dedupeBytesMax)}) or FUNNEL_MEMORY_MIB (${inMib(funnelBytesMax)}): ` +
    'docs/operating.md, Sizing, has values that hold'
  );
}
