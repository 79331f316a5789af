// What `npm run cluster` prints of the members and the level, and how it raises that.
import {lackingLevel} from '../../../actors/cluster/level.js';
import {cardIn, type MemberCard, memberOf} from '../../../actors/cluster/records.js';
import {NatsKeyBucket} from '../../nats/key-bucket.js';
import {raiseLevel, readDeployment} from '../../nats/topology.js';
import {StartFault} from '../../start-fault.js';

type Connection = Parameters<typeof readDeployment>[0];

interface Cluster {
  readonly level: number;
  readonly members: readonly MemberCard[];
}

/** @throws StartFault when there is none. */
async function read(nc: Connection): Promise<Cluster> {
  const deployment = await readDeployment(nc);
  if (deployment === undefined) throw new StartFault('this NATS has no deployment of Millrace');
  const bucket = new NatsKeyBucket(nc, 'cluster');
  const names = (await bucket.names('*')).filter((name) => memberOf(name) !== undefined);
  const records = await Promise.all(names.map((name) => bucket.read(name)));
  const texts = records.flatMap((record) => (record === undefined || record.text === '' ? [] : [record.text]));
  return {level: deployment.formatVersion, members: texts.map(cardIn)};
}

const rangeText = ([oldest, newest]: MemberCard['levels']): string =>
  oldest === newest ? String(newest) : `${oldest} to ${newest}`;

const lineOf = ({name, role, levels}: MemberCard): string => `  ${name} (${role}): ${rangeText(levels)}\n`;

const textOf = ({level, members}: Cluster): string => `The level is ${level}.\n${members.map(lineOf).sort().join('')}`;

export const clusterText = async (nc: Connection): Promise<string> => textOf(await read(nc));

/** Raises the level by one. @throws StartFault when a member lacks it, or nobody runs. LV2 (actors/cluster/level.ts) */
export async function raisedText(nc: Connection): Promise<string> {
  const {level, members} = await read(nc);
  if (members.length === 0)
    throw new StartFault('no process of this deployment runs: who would read newer formats is not known');
  const lacking = lackingLevel(members, level + 1);
  if (lacking.length > 0)
    throw new StartFault(
      `the level stays ${level}: ${lacking.length} of ${members.length} processes do not read and write ${level + 1}\n${lacking.map(lineOf).sort().join('').trimEnd()}`,
    );
  if (!(await raiseLevel(nc, level))) throw new StartFault('somebody else has just raised the level');
  return `The level is ${level + 1} now.\n`;
}
