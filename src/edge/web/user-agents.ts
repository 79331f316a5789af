// What a user agent says about a browser, its system and its device, and whether it is a bot's.
import Bowser from 'bowser';
import {isbot} from 'isbot';
import type {WebFacts} from '../../ingest/web-context.js';
import {RecentValues} from '../../recent-values.js';

/** A longer one is nobody's: it would only cost time and memory. */
const userAgentCharsMax = 1_024;
/** Reading one takes some 20 µs, and few visitors have one of their own. */
const cachedMax = 4_096;
const devices = new Set(['desktop', 'mobile', 'tablet']);
const nothing: WebFacts = new Map();
/** The names that bowser has for browsers. It calls any other one by a part of the user agent's text, which is not to be stored. */
const browserNames = new Set([
  ...Object.values(Bowser.BROWSER_MAP),
  ...['Miui', 'Opera Touch', 'PlayStation 4', 'SlimerJS'],
]);

export class UserAgents {
  private readonly recent = new RecentValues<string, WebFacts>(cachedMax);

  /** Members of the context, by their paths. */
  factsOf(userAgent: string): WebFacts {
    if (userAgent === '' || userAgent.length > userAgentCharsMax) return nothing;
    const known = this.recent.get(userAgent);
    if (known !== undefined) return known;
    const facts = factsIn(userAgent);
    this.recent.set(userAgent, facts);
    return facts;
  }
}

function factsIn(userAgent: string): WebFacts {
  const {browser, os, platform} = Bowser.parse(userAgent);
  const isKnown = browser.name !== undefined && browserNames.has(browser.name);
  const major = /^\d{1,5}(?!\d)/.exec(browser.version ?? '')?.[0];
  const device = platform.type ?? '';
  const facts = new Map<string, string | true>();
  if (isKnown) facts.set('browser.name', browser.name!);
  if (isKnown && major !== undefined) facts.set('browser.version', major);
  if (os.name) facts.set('os.name', os.name);
  if (devices.has(device)) facts.set('device.type', device);
  if (isbot(userAgent)) facts.set('bot', true);
  return facts;
}
