// Live reads of single users and events: the newest page, the newest page of an event and of a user, and a profile.
import {eventMix, userId, type WorkloadOptions} from './workload/events.js';

const pagePath = '/v1/events?limit=100';
/** Users by rank: these have events in every workload of some thousand events. */
const usersMax = 50;

/** Paths without an end: the kinds in turn, each time of another event and user. */
export function* livePaths({userCount}: Pick<WorkloadOptions, 'userCount'>): Generator<string> {
  for (let turn = 0; ; turn++) {
    const [event] = eventMix[turn % eventMix.length]!;
    const user = userId(turn % Math.min(usersMax, userCount));
    yield pagePath;
    yield `${pagePath}&event=${event}`;
    yield `${pagePath}&userId=${user}`;
    yield `/v1/users/${user}`;
  }
}
