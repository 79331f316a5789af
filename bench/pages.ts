// Live reads of those who look at single users and events: the newest page, the newest of an event, of a user, and a profile.
import {eventMix, userId, type WorkloadOptions} from './workload/events.js';

const pagePath = '/v1/events?limit=100';
/** By rank: these have events in every workload of some thousands. */
const usersMax = 50;

/** The kinds in turn, for ever, of other events and users each time. */
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
