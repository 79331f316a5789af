// The wire between the service and an external nats-server: cut, silent, deaf (publishes arrive, their answers do not),
// mute, slow, or reset.

import {join} from 'node:path';
import {setTimeout as delay} from 'node:timers/promises';
import type {Random} from '../../random.js';
import {freePort} from '../free-port.js';
import {NatsProcess} from '../nats-process.js';
import {brokenNoticedMs, type Nemesis, outage, type Stage, silenceNoticedMs} from '../nemesis.js';
import {TcpProxy} from '../tcp-proxy.js';

// Longer than the 3 s after which silence is noticed, and the 5 s after which a publish is given up.
const outageMsMax = 7_000;
const shortOutageMsMax = 1_500;
const slowMsMax = 250;

export class Net implements Nemesis {
  readonly strikes = {min: 1, max: 3};
  private nats: NatsProcess | undefined;
  private proxy: TcpProxy | undefined;

  async prepare(folder: string) {
    this.nats = await NatsProcess.start(
      {folder: join(folder, 'nats'), storeDir: join(folder, 'nats', 'store')},
      await freePort(),
      'always',
    );
    this.proxy = await TcpProxy.start(this.nats.port);
    return {dataDir: join(folder, 'data'), env: {NATS_URL: `nats://127.0.0.1:${this.proxy.port}`}};
  }

  async strike(stage: Stage, random: Random): Promise<void> {
    const proxy = this.proxy!;
    const ms = random.between(50, random.chance(0.3) ? outageMsMax : shortOutageMsMax);
    const what = random.pick(['cut', 'silent', 'deaf', 'mute', 'slow', 'reset'] as const);
    if (what === 'reset') return proxy.reset();
    if (what === 'slow') {
      proxy.set('slow', random.between(1, slowMsMax));
      await delay(ms);
      proxy.set('slow', 0);
      return;
    }
    // A cut is noticed at once; a silent wire only by its silence.
    await outage(stage, `${what} for ${ms} ms`, what === 'cut' ? brokenNoticedMs : silenceNoticedMs, async () => {
      proxy.set(what);
      await delay(ms);
      proxy.set('whole');
    });
  }

  async finish(): Promise<void> {
    await this.proxy?.stop();
    await this.nats?.stop();
  }
}
