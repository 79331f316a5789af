import {execFileSync} from 'node:child_process';
import {createHash} from 'node:crypto';
import {once} from 'node:events';
import {chmodSync, mkdirSync, readdirSync, readFileSync, writeFileSync} from 'node:fs';
import {createServer, type RequestListener} from 'node:http';
import type {AddressInfo} from 'node:net';
import {join} from 'node:path';
import {describe, expect, test} from 'vitest';
import {debianFetchers, findNatsServer, isAtLeast, mirrorOf, releaseFetchers} from '../../scripts/nats-server.mjs';
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
  test('none when NATS_URL names a running one', async () => {
    const found = await findNatsServer({
      env: {NATS_URL: 'nats://h', NATS_SERVER_BIN: '/nowhere'},
      fetchers: [mustNotFetch],
    });
    expect(found).toEqual({path: undefined, line: 'not needed: NATS_URL names a server'});
  });

  test('the one that NATS_SERVER_BIN names, even before a newer one', async () => {
    const named = join(folderWithServer('2.9.10'), 'nats-server');
    const found = await findNatsServer({
      env: {NATS_SERVER_BIN: named},
      cache: folderWithServer('2.15.1'),
      folders: [folderWithServer('2.15.1')],
      fetchers: [mustNotFetch],
    });
    expect(found).toMatchObject({path: named, line: expect.stringContaining('named by NATS_SERVER_BIN')});
  });

  test('the fetched one before one on the machine', async () => {
    const cache = folderWithServer('2.15.1');
    const found = await findNatsServer({
      env: {},
      cache,
      folders: [folderWithServer('2.16.0')],
      fetchers: [mustNotFetch],
    });
    expect(found).toMatchObject({path: join(cache, 'nats-server'), line: expect.stringContaining('fetched earlier')});
  });

  test('the newest one on the machine when it is new enough', async () => {
    const newest = folderWithServer('2.15.0');
    const folders = [folderWithServer('2.14.5'), newest, folderWithServer('2.9.10')];
    const found = await findNatsServer({env: {}, cache: emptyCache(), folders, fetchers: [mustNotFetch]});
    expect(found.path).toBe(join(newest, 'nats-server'));
  });

  test('a fetched one before an older one on the machine; nothing but the binary stays in the cache', async () => {
    const cache = emptyCache();
    const folders = [folderWithServer('2.14.4')];
    const found = await findNatsServer({env: {}, cache, folders, fetchers: [offline, fetching('2.15.1')]});
    expect(found).toMatchObject({path: join(cache, 'nats-server'), version: '2.15.1'});
    expect(readdirSync(cache)).toEqual(['nats-server']);
  });

  test('the older one, with a warning, when nothing can be fetched', async () => {
    const folder = folderWithServer('2.9.10');
    const found = await findNatsServer({env: {}, cache: emptyCache(), folders: [folder], fetchers: [offline]});
    expect(found).toMatchObject({path: join(folder, 'nats-server'), line: expect.stringMatching(/WARNING.*power cut/)});
  });
});

describe('a start without nats-server says why in one line', () => {
  const cases = [
    [
      'nothing found, nothing fetched',
      {env: {}, folders: [], fetchers: [offline]},
      /none is on this machine\. Tried: Debian: no network\. Remedies:/,
    ],
    ['too old a one found', {env: {}, folders: ['2.9.9'], fetchers: []}, /the one at .* is 2\.9\.9/],
    [
      'a newer major version found, which nothing was tried with',
      {env: {}, folders: ['3.0.0'], fetchers: []},
      /the one at .* is 3\.0\.0, and 2\.9\.10 or newer is needed, and older than 3\.0\.0, with which/,
    ],
    [
      'too old a one fetched',
      {env: {}, folders: [], fetchers: [fetching('2.2.0')]},
      /it has 2\.2\.0, and 2\.9\.10 or newer is needed/,
    ],
    [
      'too old a one named',
      {env: {NATS_SERVER_BIN: '2.9.9'}, folders: [], fetchers: []},
      /version 2\.9\.9: 2\.9\.10 or newer/,
    ],
    [
      'a newer major version named',
      {env: {NATS_SERVER_BIN: '3.1.0'}, folders: [], fetchers: []},
      /version 3\.1\.0: 2\.9\.10 or newer is needed, and older than 3\.0\.0/,
    ],
    [
      'nothing there where one is named',
      {env: {NATS_SERVER_BIN: '/nowhere'}, folders: [], fetchers: []},
      /NATS_SERVER_BIN=\/nowhere/,
    ],
  ] as const;
  test.each(cases)('%s', async (_, {env, folders, fetchers}, message) => {
    const place = (version: string) => (/^\d/.test(version) ? folderWithServer(version) : version);
    const named = 'NATS_SERVER_BIN' in env ? {NATS_SERVER_BIN: join(place(env.NATS_SERVER_BIN), 'nats-server')} : {};
    const find = () =>
      findNatsServer({env: named, cache: emptyCache(), folders: folders.map(place), fetchers: [...fetchers]});
    await expect(find).rejects.toThrow(message);
    await expect(find).rejects.toThrow(/^[^\n]+$/);
  });
});

describe('the release of the NATS project', () => {
  /** Its archive, as the project makes it for this machine. */
  function archiveOf(version: string): Buffer {
    const folder = temporaryFolder();
    const name = `nats-server-v${version}-${machine}`;
    placeServer(join(folder, name), version);
    execFileSync('tar', ['-czf', 'made.tar.gz', name], {cwd: folder});
    return readFileSync(join(folder, 'made.tar.gz'));
  }
  const machine = `${process.platform}-${process.arch === 'x64' ? 'amd64' : process.arch}`;
  const pinnedTo = (archive: Buffer) => ({
    version: '2.15.0',
    sha256: {[machine]: createHash('sha256').update(archive).digest('hex')},
  });
  async function serving(answer: RequestListener, run: (base: string) => Promise<void>): Promise<void> {
    const server = createServer(answer).listen(0, '127.0.0.1');
    await once(server, 'listening');
    try {
      await run(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    } finally {
      server.closeAllConnections();
      server.close();
    }
  }

  test('is fetched, said, and taken when its checksum is the one that is known', async () => {
    const archive = archiveOf('2.15.0');
    const [asked, said]: string[][] = [[], []];
    const answer: RequestListener = ({url}, res) => {
      asked.push(url!);
      res.end(archive);
    };
    await serving(answer, async (base) => {
      const cache = emptyCache();
      const fetchers = releaseFetchers(base, pinnedTo(archive));
      const found = await findNatsServer({env: {}, cache, folders: [], fetchers, say: (line) => said.push(line)});
      expect(found).toMatchObject({path: join(cache, 'nats-server'), version: '2.15.0'});
      expect(readdirSync(cache)).toEqual(['nats-server']);
    });
    expect(asked).toEqual([`/v2.15.0/nats-server-v2.15.0-${machine}.tar.gz`]);
    expect(said).toEqual([expect.stringMatching(/^nats-server: fetching it from its release 2\.15\.0 \(127\.0\.0\.1/)]);
  });

  test.each<[string, RequestListener, RegExp]>([
    ['other bytes', (_, res) => res.end('not it'), /has the SHA-256 [0-9a-f]{64} and not/],
    ['a refusal', (_, res) => res.writeHead(404).end(), /was answered 404/],
    [
      'a connection that ends',
      (req) => req.socket.destroy(),
      /Tried: its release 2\.15\.0 .*(other side closed|ECONNRESET)/,
    ],
  ])('%s: nothing is taken', async (_, answer, message) => {
    await serving(answer, async (base) => {
      const cache = emptyCache();
      const fetchers = releaseFetchers(base, pinnedTo(archiveOf('2.15.0')));
      await expect(findNatsServer({env: {}, cache, folders: [], fetchers})).rejects.toThrow(message);
      expect(readdirSync(cache)).toEqual([]);
    });
  });

  test('is not tried where no checksum is known', () => {
    expect(releaseFetchers('http://127.0.0.1', {version: '2.15.0', sha256: {'plan9-mips': ''}})).toEqual([]);
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
