// All nemeses by name.

import type {Nemesis} from '../nemesis.js';
import {Clock} from './clock.js';
import {Cluster} from './cluster.js';
import {ClusterPowercut} from './cluster-powercut.js';
import {Enospc} from './enospc.js';
import {Erase} from './erase.js';
import {SeveralHosts} from './hosts.js';
import {killAll} from './kill-all.js';
import {killNats} from './kill-nats.js';
import {killService} from './kill-service.js';
import {Net} from './net.js';
import {pause} from './pause.js';
import {Powercut} from './powercut.js';
import {PowercutLazy} from './powercut-lazy.js';
import {restart} from './restart.js';
import {retryStorm} from './retry-storm.js';
import {Wake} from './wake.js';
import {Webhooks} from './webhooks.js';
import {Workers} from './workers.js';

/** Created anew for every run: some hold mounts or processes. */
export const nemeses: Readonly<Record<string, () => Nemesis>> = {
  'kill-service': () => killService,
  'kill-nats': () => killNats,
  'kill-all': () => killAll,
  restart,
  'retry-storm': retryStorm,
  pause: () => pause,
  wake: () => new Wake(),
  erase: () => new Erase(),
  net: () => new Net(),
  cluster: () => new Cluster(),
  'cluster-powercut': () => new ClusterPowercut(),
  enospc: () => new Enospc(),
  powercut: () => new Powercut(),
  'powercut-lazy': () => new PowercutLazy(),
  clock: () => new Clock(),
  webhooks: () => new Webhooks(),
  workers: () => new Workers(),
  hosts: () => new SeveralHosts(),
};
