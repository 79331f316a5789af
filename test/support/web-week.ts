// A scripted week of a site: its events, and what the page Web must show of them, by plain loops over the same events.
const dayMs = 86_400_000;

interface WebEvent {
  readonly event: string;
  readonly anonymousId: string;
  readonly timestamp: string;
  readonly context: {
    readonly page: {readonly path: string};
    readonly referrer?: {readonly host: string};
    readonly campaign?: {readonly name: string};
    readonly location?: {readonly country: string};
    readonly browser: {readonly name: string};
    readonly os: {readonly name: string};
    readonly device: {readonly type: string};
    readonly session?: {readonly id: string; readonly start?: true};
    readonly bot?: true;
  };
}

const paths = ['/', '/pricing', '/docs', '/docs/start', '/blog'];
const hosts = ['www.google.com', undefined, 'news.example', undefined];
const countries = ['DE', 'FR', undefined, 'DE', 'JP'];
const machines = [
  {browser: {name: 'Chrome'}, os: {name: 'Windows'}, device: {type: 'desktop'}},
  {browser: {name: 'Safari'}, os: {name: 'iOS'}, device: {type: 'mobile'}},
  {browser: {name: 'Firefox'}, os: {name: 'Linux'}, device: {type: 'desktop'}},
];
const visitors = 13;
const crawls = 3;

/** Visitors come once or twice; a visit begins with a page view, or with a sign-up for every fourth visitor. */
export function webWeek(startMs: number): WebEvent[] {
  const events: WebEvent[] = [];
  for (let v = 0; v < visitors; v++) {
    const country = countries[v % countries.length];
    const own = {...machines[v % machines.length]!, ...(country !== undefined && {location: {country}})};
    for (let visit = 0; visit <= v % 2; visit++) {
      const beginMs = startMs + ((v + 3 * visit) % 7) * dayMs + (60 + 11 * v) * 60_000;
      const host = hosts[(v + visit) % hosts.length];
      for (let step = 0; step <= (v + visit) % 4; step++) {
        const isFirst = step === 0;
        events.push({
          event: isFirst && v % 4 === 3 ? 'signup' : 'page',
          anonymousId: `visitor-${v}`,
          timestamp: new Date(beginMs + step * 60_000).toISOString(),
          context: {
            page: {path: paths[(v + 2 * step) % paths.length]!},
            ...(isFirst && host !== undefined && {referrer: {host}}),
            ...(isFirst && v % 3 === 0 && {campaign: {name: 'spring'}}),
            ...own,
            session: {id: `session-${v}-${visit}`, ...(isFirst && {start: true as const})},
          },
        });
      }
    }
  }
  for (let crawl = 0; crawl < crawls; crawl++) {
    for (const [at, path] of paths.entries())
      events.push({
        event: 'page',
        anonymousId: `crawl-${crawl}`,
        timestamp: new Date(startMs + 2 * crawl * dayMs + at * 1_000).toISOString(),
        context: {page: {path}, ...machines[0]!, location: {country: 'US'}, bot: true},
      });
  }
  return events;
}

export interface WebFigures {
  readonly visitors: number;
  readonly views: number;
  readonly sessions: number;
  /** Rows of the lists, by their titles. */
  readonly lists: Readonly<Record<string, Readonly<Record<string, number>>>>;
}

const names: Readonly<Record<string, string>> = {DE: 'Germany', FR: 'France', JP: 'Japan', US: 'United States'};

/** What the page shows of these events. */
export function webFigures(events: readonly WebEvent[]): WebFigures {
  const views = events.filter(({event}) => event === 'page');
  const begun = events.filter(({context}) => context.session?.start === true);
  const times = (some: readonly WebEvent[], of: (event: WebEvent) => string): Record<string, number> => {
    const rows: Record<string, number> = {};
    for (const one of some) rows[of(one)] = (rows[of(one)] ?? 0) + 1;
    return rows;
  };
  const people = (of: (event: WebEvent) => string): Record<string, number> => {
    const rows: Record<string, Set<string>> = {};
    for (const one of views) (rows[of(one)] ??= new Set()).add(one.anonymousId);
    return Object.fromEntries(Object.entries(rows).map(([name, those]) => [name, those.size]));
  };
  return {
    visitors: new Set(views.map(({anonymousId}) => anonymousId)).size,
    views: views.length,
    sessions: begun.length,
    lists: {
      'Top pages': times(views, ({context}) => context.page.path),
      Referrers: times(begun, ({context}) => context.referrer?.host ?? 'direct, or unknown'),
      Campaigns: times(begun, ({context}) => context.campaign?.name ?? 'no campaign'),
      Countries: people(({context}) => names[context.location?.country ?? ''] ?? 'unknown'),
      Devices: people(({context}) => context.device.type),
      Browsers: people(({context}) => context.browser.name),
      'Operating systems': people(({context}) => context.os.name),
    },
  };
}
