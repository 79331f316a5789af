// How long the service delays other requests under attack, measured by another process.
//   Two probes alternate every few ms: /healthz of the service, and a process that does nothing else. What the machine does to
//   both is noise. The kernel's account of the service's main thread separates the rest: a probe that waited while that thread
//   was *running* met a stall of the event loop; one that waited while it was runnable met a busy machine.
import {type ChildProcess, fork} from 'node:child_process';
import {once} from 'node:events';
import {fileURLToPath} from 'node:url';

export interface SlowProbe {
  readonly ms: number;
  /** Ms that the service's main thread ran during the probe. */
  readonly runningMs: number;
}

export interface ProbeReport {
  readonly service: Distribution;
  readonly control: Distribution;
  /** Ms that the main thread ran during one probe: the work before the event loop answered it. */
  readonly running: Distribution;
  /** The service's probes above the bound, slowest first. */
  readonly slow: readonly SlowProbe[];
}

export interface Distribution {
  readonly count: number;
  readonly p50: number;
  readonly p99: number;
  readonly p999: number;
  readonly max: number;
  readonly overBound: number;
}

export const stallMsMax = 50;

export class StallWatch {
  private constructor(
    private readonly prober: ChildProcess,
    private readonly control: ChildProcess,
  ) {}

  static async start(servicePort: number, servicePid: number): Promise<StallWatch> {
    const control = fork(fileURLToPath(new URL('./idle-server.js', import.meta.url)));
    const [controlPort] = (await once(control, 'message')) as [number];
    const prober = fork(fileURLToPath(new URL('./prober.js', import.meta.url)), [
      String(servicePort),
      String(controlPort),
      String(servicePid),
    ]);
    await once(prober, 'message');
    return new StallWatch(prober, control);
  }

  async stop(): Promise<ProbeReport> {
    this.prober.send('stop');
    const [report] = (await once(this.prober, 'message')) as [ProbeReport];
    this.kill();
    return report;
  }

  kill(): void {
    this.prober.kill('SIGKILL');
    this.control.kill('SIGKILL');
  }
}
