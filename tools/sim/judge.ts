// The judgement of a world that came to rest: what it stored, against the slow model.
import {bucketSubject} from '../../src/nats/topology.js';
import {readManifest} from '../../src/parts/stored-state.js';
import {type Clients, tokenOf} from './clients.js';
import {faultsOfEnd} from './final-state.js';
import {LogModel, ModelOfAll} from './model.js';
import {PublishedSet, PublishedSnapshot} from './published.js';
import type {Sentinel} from './sentinel.js';
import type {SimServer} from './server.js';

interface Ended {
  readonly server: SimServer;
  readonly sentinel: Sentinel;
  readonly clients: Clients;
  /** Messages that the log lost. */
  readonly lost: ReadonlySet<unknown>;
  readonly plan: {readonly losesTail: boolean; readonly links: boolean};
}

export function judge({server, sentinel, clients, lost, plan}: Ended): string[] {
  const partitions = server.logs.map((_, partition) => partition);
  const accepted = partitions.flatMap((partition) => sentinel.acceptedOf(partition));
  const logs = partitions.map((partition) => {
    const model = new LogModel(partition, tokenOf);
    for (const message of sentinel.acceptedOf(partition)) if (!lost.has(message)) model.apply(message);
    return model;
  });
  const snapshots = partitions.map((partition) => {
    const {data} = server.manifests.lastOf(bucketSubject('manifests', `p${partition}`));
    return new PublishedSnapshot(server, readManifest(data, partition));
  });
  return faultsOfEnd({
    server,
    snapshots,
    published: new PublishedSet(snapshots),
    logs,
    model: new ModelOfAll(logs.map((log) => log.facts())),
    surviving: accepted.filter((message) => !lost.has(message)),
    lost: accepted.filter((message) => lost.has(message)),
    acked: clients.acked,
    sent: clients.sent,
    hasLosses: plan.losesTail,
    hasLinks: plan.links,
    leftMs: clients.leftMs,
    nameLeftMs: clients.nameLeftMs,
  });
}
