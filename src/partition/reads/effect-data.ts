// Makes the `data` of a message about a user, from the state at the time of the attempt. There is none for a user who is erased or
// moved to another partition, nor for a funnel that was deleted.
//   ED1. The number of a user belongs to one user within a generation of the log. A trigger of an earlier generation gets data of a
//        user whom the log has not lost since; one of a later generation is for a later owner.

import {isoText} from '../../../actors/calendar.js';
import {usersLostFrom} from '../../../actors/generations.js';
import type {Partition} from '../../../actors/partition.js';
import type {PartitionAnswer, PartitionQuestion} from '../../asks/partition.js';
import {funnelPathOf} from '../../asks/question/funnel-path.js';
import type {SavedFunnel} from '../../kept/saved-funnel.js';
import type {Outbox, StallEffect, UserEffect} from '../effects.js';
import {pathsOf} from '../funnels/user-paths.js';
import type {Yield} from '../identity/left-rows.js';
import type {RowSources} from '../partition-view.js';
import {loadRecord} from '../snapshot/user-loader.js';

const gone: PartitionAnswer = {kind: 'effect_gone'};

/** @throws MissingPart, DamagedPart */
export async function effectData(
  view: RowSources,
  outbox: Outbox,
  {type, of}: Extract<PartitionQuestion, {ask: 'effect'}>,
  turn: Yield,
): Promise<PartitionAnswer> {
  const {partition} = view;
  const effect = of as unknown as UserEffect;
  const {user, generation} = effect;
  const isSame = generation <= partition.generation && user < usersLostFrom(partition.generations, generation); // ED1
  if (!isSame || !partition.identity.isHere(user)) return gone;
  const fields =
    type === 'user.identified'
      ? await traitsField(view, effect.user)
      : type === 'funnel.completed'
        ? await completionFields(view, outbox, effect, turn)
        : type === 'funnel.stalled'
          ? stallFields(outbox, of as unknown as StallEffect)
          : undefined;
  if (fields === undefined || !partition.identity.isHere(effect.user)) return gone;
  return {kind: 'effect', dataJson: `{${userFields(partition, outbox, effect.user)},${fields}}`};
}

function userFields(partition: Partition, outbox: Outbox, user: number): string {
  const key = partition.users.table.bytesOf(user);
  const text = partition.users.table.text(user);
  const field = text.startsWith('u') ? 'userId' : 'anonymousId';
  const ref = outbox.userRefOf(partition.hashOf(key));
  return `"${field}":${JSON.stringify(text.slice(1))},"user_ref":${JSON.stringify(ref)}`;
}

async function traitsField({partition, layout, cache}: RowSources, user: number): Promise<string | undefined> {
  const record = await loadRecord(partition, layout, cache, user);
  return record === undefined ? undefined : `"traits":${record.traits?.json ?? '{}'}`;
}

async function completionFields(
  view: RowSources,
  outbox: Outbox,
  {user, funnel: id}: UserEffect,
  turn: Yield,
): Promise<string | undefined> {
  const funnel = outbox.funnels().find((one) => one.id === id);
  if (funnel === undefined) return undefined;
  const {question} = funnel;
  const path = (await pathsOf(view, [user], [funnelPathOf(question)], turn)).get(user)![0]!;
  if (path.length < question.steps.length) return undefined;
  const [entered, completed] = [isoText(path[0]!), isoText(path[path.length - 1]!)];
  return `${funnelField(funnel)},"completed_at":"${completed}","entered_at":"${entered}"`;
}

/** Fields of a stall. Its step and times are in the reference: later events of the user undo no stall. */
function stallFields(outbox: Outbox, {funnel: id, ...stall}: StallEffect): string | undefined {
  const funnel = outbox.funnels().find((one) => one.id === id);
  if (funnel === undefined) return undefined;
  const [reached, entered] = [isoText(stall.reachedMs), isoText(stall.enteredMs)];
  const fields = `"alert":{"id":"${stall.alert}"},${funnelField(funnel)},"reached":${stall.reached}`;
  return `${fields},"reached_at":"${reached}","entered_at":"${entered}"`;
}

const funnelField = ({id, name}: SavedFunnel): string => `"funnel":${JSON.stringify({id, name})}`;
