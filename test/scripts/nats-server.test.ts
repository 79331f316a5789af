import {chmodSync, mkdirSync, readdirSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {describe, expect, test} from 'vitest';
import {debianFetchers, findNatsServer, isAtLeast, mirrorOf} from '../../scripts/nats-server.mjs';
import {temporaryFolder} from '../support/service.js';

/** A program that only knows its version, in a folder of its own; returns the folder. */
function folderWithServer(version: string): string {
  const folder = temporaryFolder();
  placeServer(folder, version);
  return folder;
}

function placeServer(folder: string, version: string): string {
  mkdirSync(folder, {recursive: true});
  const path = join(folder, 'nats-server');
  writeFileSync(path, `#!/bin/sh\necho "nats-server: v${version}"\n`);
  chmodSync(path, 0o755);
  return path;
}

const emptyCache = () => join(temporaryFolder(), 'nats');
const offline = {
  name: 'Debian',
  fetch: () => {
    throw new Error('no network');
  },
};
const fetching = (version: string) => ({
  name: 'Debian',
  fetch: (work: string) => placeServer(join(work, 'unpacked'), version),
});
const mustNotFetch = {
  name: 'Debian',
  fetch: () => {
    throw new Error('fetched although there was no need');
  },
};

describe('which nats-server is taken', () => {
  test('none when NATS_URL names a running one', () => {
    const found = findNatsServer({env: {NATS_URL: 'nats://h', NATS_SERVER_BIN: '/nowhere'}, fetchers: [mustNotFetch]});
    expect(found).toEqual({path: undefined, line: 'not needed: NATS_URL names a server'});
  });

  test('the one that NATS_SERVER_BIN names, even before a newer one', () => {
    const named = join(folderWithServer('2.9.10'), 'nats-server');
    const found = findNatsServer({
      env: {NATS_SERVER_BIN: named},
      cache: folderWithServer('2.15.1'),
      folders: [folderWithServer('2.15.1')],
      fetchers: [mustNotFetch],
    });
    expect(found).toMatchObject({path: named, line: expect.stringContaining('named by NATS_SERVER_BIN')});
  });

  test('the fetched one before one on the machine', () => {
    const cache = folderWithServer('2.15.1');
    const found = findNatsServer({env: {}, cache, folders: [folderWithServer('2.16.0')], fetchers: [mustNotFetch]});
    expect(found).toMatchObject({path: join(cache, 'nats-server'), line: expect.stringContaining('fetched earlier')});
  });

  test('the newest one on the machine when it is new enough', () => {
    const newest = folderWithServer('2.15.0');
    const folders = [folderWithServer('2.14.5'), newest, folderWithServer('2.9.10')];
    const found = findNatsServer({env: {}, cache: emptyCache(), folders, fetchers: [mustNotFetch]});
    expect(found.path).toBe(join(newest, 'nats-server'));
  });

  test('a fetched one before an older one on the machine; nothing but the binary stays in the cache', () => {
    const cache = emptyCache();
    const folders = [folderWithServer('2.14.4')];
    const found = findNatsServer({env: {}, cache, folders, fetchers: [offline, fetching('2.15.1')]});
    expect(found).toMatchObject({path: join(cache, 'nats-server'), version: '2.15.1'});
    expect(readdirSync(cache)).toEqual(['nats-server']);
  });

  test('the older one, with a warning, when nothing can be fetched', () => {
    const folder = folderWithServer('2.9.10');
    const found = findNatsServer({env: {}, cache: emptyCache(), folders: [folder], fetchers: [offline]});
    expect(found).toMatchObject({path: join(folder, 'nats-server'), line: expect.stringMatching(/WARNING.*power cut/)});
  });
});

describe('a start without nats-server says why in one line', () => {
  const cases = [
    [
      'nothing found, nothing fetched',
      {env: {}, folders: [], fetchers: [offline]},
      /Tried: Debian: no network.*Remedies:/,
    ],
    ['too old a one found', {env: {}, folders: ['2.9.9'], fetchers: []}, /the one at .* is 2\.9\.9/],
    [
      'too old a one fetched',
      {env: {}, folders: [], fetchers: [fetching('2.2.0')]},
      /it has 2\.2\.0, older than 2\.9\.10/,
    ],
    [
      'too old a one named',
      {env: {NATS_SERVER_BIN: '2.9.9'}, folders: [], fetchers: []},
      /version 2\.9\.9; 2\.9\.10 or newer/,
    ],
    [
      'nothing there where one is named',
      {env: {NATS_SERVER_BIN: '/nowhere'}, folders: [], fetchers: []},
      /NATS_SERVER_BIN=\/nowhere/,
    ],
  ] as const;
  test.each(cases)('%s', (_, {env, folders, fetchers}, message) => {
    const place = (version: string) => (/^\d/.test(version) ? folderWithServer(version) : version);
    const named = 'NATS_SERVER_BIN' in env ? {NATS_SERVER_BIN: join(place(env.NATS_SERVER_BIN), 'nats-server')} : {};
    const find = () =>
      findNatsServer({env: named, cache: emptyCache(), folders: folders.map(place), fetchers: [...fetchers]});
    expect(find).toThrow(message);
    expect(find).toThrow(/^[^\n]+$/);
  });
});

test('versions compare by number', () => {
  expect(isAtLeast('2.10.0', '2.9.10')).toBe(true);
  expect(isAtLeast('2.9.10', '2.9.10')).toBe(true);
  expect(isAtLeast('2.9.9', '2.9.10')).toBe(false);
});

describe("the machine's own Debian mirror", () => {
  test.each([
    ['one-line format', 'deb http://mirror.example/debian/ bookworm main\n'],
    ['with options', 'deb [arch=amd64 signed-by=/k.gpg] http://mirror.example/debian bookworm main contrib\n'],
    [
      'deb822',
      'Types: deb\n# a snapshot\nURIs: http://mirror.example/debian\nSuites: bookworm bookworm-updates\nComponents: main\n',
    ],
    [
      'after sources of others, and security',
      'deb http://security.example/debian-security bookworm-security main\n# deb http://old.example/debian bookworm main\ndeb http://other.example stable main\ndeb http://mirror.example/debian bookworm main\n',
    ],
    [
      'a disabled stanza before',
      'Enabled: no\nTypes: deb\nURIs: http://old.example\nSuites: bookworm\n\nTypes: deb\nURIs: http://mirror.example/debian\nSuites: bookworm\n',
    ],
  ])('%s', (_, source) => {
    expect(mirrorOf('bookworm', ['', source])).toBe('http://mirror.example/debian');
  });

  test('unknown when no source has the suite', () => {
    expect(mirrorOf('bookworm', ['deb http://mirror.example/debian trixie main'])).toBeUndefined();
  });

  test('without apt there is nothing to fetch from', () => {
    expect(debianFetchers({hasApt: false, id: 'debian', suite: 'bookworm', mirror: 'http://m'})).toEqual([]);
  });
});
