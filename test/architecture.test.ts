// The two rings, checked on the text of the sources: who imports whom, and who may touch the world.
import {existsSync, readdirSync, readFileSync} from 'node:fs';
import {dirname, join, normalize, relative} from 'node:path';
import {fileURLToPath} from 'node:url';
import {describe, expect, test} from 'vitest';

const root = fileURLToPath(new URL('..', import.meta.url));
const sources = (folder: string): string[] =>
  readdirSync(join(root, folder), {recursive: true, encoding: 'utf8'})
    .filter((path) => /\.(tsx?|mjs)$/.test(path))
    .map((path) => join(folder, path));

interface Import {
  readonly file: string;
  /** Path from the root for files of ours, otherwise the package's name. */
  readonly target: string;
  /** `import type`: nothing of the target is there at run time. */
  readonly isOfTypes: boolean;
}

function importsOf(file: string): Import[] {
  const text = readFileSync(join(root, file), 'utf8');
  const found = text.matchAll(
    /(?:^|\n)\s*(?:import|export)\b[^;]*?\bfrom\s+'([^']+)'|\bimport\(\s*'([^']+)'\s*\)|(?:^|\n)import\s+'([^']+)'/g,
  );
  return [...found].map((match) => {
    const target = (match[1] ?? match[2] ?? match[3]) as string;
    return {
      file,
      target: target.startsWith('.') ? relative(root, normalize(join(root, dirname(file), target))) : target,
      isOfTypes: /^\s*(?:import|export)\s+type\b/.test(match[0]),
    };
  });
}

/** Sources without comments and string contents: what is left is what the program does. */
const codeOf = (file: string): string =>
  readFileSync(join(root, file), 'utf8')
    .replace(/\/\*[\s\S]*?\*\//g, '')
    .replace(/\/\/.*$/gm, '')
    .replace(/'(?:[^'\\\n]|\\.)*'/g, "''");

const sdk = 'packages/sdk/src';
const actors = sources('actors');
const world = sources('src');
const all = [...actors, ...world];
const imports = all.flatMap(importsOf);

describe('the core', () => {
  test('has files, and so has the world', () => {
    expect(actors.length).toBeGreaterThan(20);
    expect(world.length).toBeGreaterThan(30);
  });

  test('imports nothing from outside itself', () => {
    const outside = imports.filter(({file, target}) => file.startsWith('actors/') && !target.startsWith('actors/'));
    expect(outside).toEqual([]);
  });

  test('calls no clock, no chance, no environment, no promise', () => {
    const banned =
      /\b(Date\.now|new Date\b|Math\.random|performance\b|process\b|setTimeout|setInterval|setImmediate|queueMicrotask|globalThis|async\b|await\b|Promise\b|fetch\b|require\b|Buffer\b|console\b)/;
    expect(
      actors.flatMap(
        (file) =>
          codeOf(file)
            .match(banned)
            ?.map((hit) => `${file}: ${hit}`) ?? [],
      ),
    ).toEqual([]);
  });
});

describe('the world', () => {
  const only = (what: RegExp, homes: RegExp): string[] =>
    world.filter((file) => what.test(codeOf(file)) && !homes.test(file));

  test('reads clocks in src/clock.ts alone', () => {
    expect(only(/Date\.now|new Date\(\)|performance\.now|process\.hrtime/, /^src\/clock\.ts$/)).toEqual([]);
  });

  test('reads the environment in src/config.ts, main and the command lines alone', () => {
    expect(only(/process\.env/, /^src\/(main|edge\/http\/uws)\.ts$|^src\/cli\//)).toEqual([]);
  });

  test('draws no pseudo-random numbers', () => {
    expect(only(/Math\.random/, /^src\/cli\//)).toEqual([]);
  });

  test('keeps uWebSockets.js in the edge, and NATS with those who speak to it', () => {
    const users = (name: RegExp) => imports.filter(({target}) => name.test(target)).map(({file}) => file);
    for (const file of users(/^uWebSockets\.js/)) expect(file).toMatch(/^src\/edge\//);
    for (const file of users(/^nats$|^@nats-io\//))
      expect(file).toMatch(
        /^src\/(nats|partition|report|keys|edge|ingest|webhooks|alerts|cli\/repartition)\b|^src\/main\.ts$/,
      );
  });

  test('paces without knowing whom: the room of pacing imports the clock alone', () => {
    const within = imports.filter(({file}) => file.startsWith('src/pacing/'));
    const outside = within.filter(({target}) => !target.startsWith('src/pacing/') && !target.startsWith('node:'));
    expect([...new Set(outside.map(({target}) => target))]).toEqual(['src/clock.js']);
  });

  test('roles do not import each other', () => {
    const roles = ['edge', 'partition', 'report'];
    const crossing = imports.filter(({file, target}) =>
      roles.some((from) =>
        roles.some((to) => from !== to && file.startsWith(`src/${from}/`) && target.startsWith(`src/${to}/`)),
      ),
    );
    expect(crossing).toEqual([]);
  });
});

test('every catch names its error: what hides all of them hides bugs', () => {
  const isText = (file: string): boolean => file === 'src/edge/openapi/page/script.ts'; // Runs in a browser.
  const programs = [...all, ...['tools', 'bench', 'scripts', sdk].flatMap(sources)];
  const hiding = programs.filter((file) => !isText(file) && /catch \{/.test(readFileSync(join(root, file), 'utf8')));
  expect(hiding).toEqual([]);
});

/**
 * The rooms of each house from the ground up, a floor a line: a room imports what is on lower floors, and nothing beside or above.
 * Types count. Of the edge that holds for what is there at run time alone: what it is asked of is declared above (front.ts).
 */
const houses: Readonly<Record<string, readonly (readonly string[])[]>> = {
  actors: [
    ['invariant.ts'],
    ['actor.ts', 'generations.ts'],
    ['bytes', 'journal.ts', 'limits.ts', 'manifest.ts', 'order'],
    ['calendar.ts', 'changes.ts', 'cluster', 'deletions.ts', 'expired-parts.ts', 'retention.ts', 'table'],
    ['aggregator', 'log'],
    ['chunk', 'dedupe', 'funnels', 'identity'],
    ['user'],
    ['partition-actors.ts'],
    ['erasures.ts', 'events.ts'],
    ['arrivals.ts'],
    ['partition.ts', 'report/partials.ts', 'report/selection.ts'],
    ['redistribution.ts'],
    ['report/rows'],
    ['report/counts', 'report/funnel'],
    ['report/engagement'],
  ],
  'src/partition': [
    ['conflict-warning.ts', 'fold-pace.ts', 'retry.ts', 'row-kernel.ts', 'throttle.ts'],
    ['effects.ts', 'log', 'retrying-values.ts'],
    ['snapshot'],
    ['dictionaries.ts', 'partition-view.ts'],
    ['alarms.ts', 'erasure'],
    ['expiry.ts', 'identity'],
    ['funnels'],
    ['runner.ts'],
    ['reads'],
    ['asked-converted.ts', 'assembly.ts', 'hand.ts', 'hook-outbox.ts'],
    ['worker.ts'],
  ],
  'src/report': [
    ['kernels', 'named-rows.ts', 'narrow-columns.ts', 'published', 'question-work.ts', 'user-references.ts'],
    ['name-index.ts', 'part-scan.ts', 'rehearsal.ts', 'warm-up.ts'],
    ['row-scan.ts'],
    ['derived', 'rounds.ts'],
    ['reading.ts'],
    ['operators'],
    ['questions'],
    ['evaluate.ts', 'shards.ts'],
    ['engine.ts'],
    ['report-peers.ts'],
    ['worker.ts'],
  ],
  'src/edge': [
    [
      'audit.ts',
      'error-meanings.ts',
      'failure.ts',
      'front.ts',
      'lost-records.ts',
      'route.ts',
      'route-template.ts',
      'stored-record.ts',
    ],
    ['http', 'readiness.ts'],
    ['compatible', 'query', 'web'],
    ['admission'],
    ['answers', 'metrics', 'tables'],
    ['parquet'],
    ['routes'],
    ['mcp', 'resources'],
    ['openapi'],
    ['dashboard'],
    ['all-routes.ts', 'server.ts'],
    ['assembly.ts', 'description.ts'],
    ['start.ts', 'write-description.ts'],
  ],
  'src/nats': [
    ['asked-headers.ts', 'error-codes.ts', 'packed.ts', 'payload.ts', 'store', 'version.ts'],
    ['client', 'newest-message.ts', 'unreadable-messages.ts'],
    ['compare-and-set.ts'],
    ['topology.ts'],
    [
      'ask-link.ts',
      'erasing-link.ts',
      'key-bucket.ts',
      'log-pull.ts',
      'log-refusals.ts',
      'part-values.ts',
      'published-manifests.ts',
      'share-link.ts',
      'thread-questions.ts',
      'record-lines.ts',
    ],
    ['log-link.ts', 'server', 'store-check.ts'],
    ['journal-copy.ts', 'process-membership.ts'],
  ],
};

describe.each(Object.entries(houses))('the rooms of %s', (house, floors) => {
  const rooms = floors.flat();
  const roomOf = (path: string): string | undefined =>
    rooms.find((room) => path === `${house}/${room}` || path.startsWith(`${house}/${room}/`));
  const floorOf = (room: string): number => floors.findIndex((floor) => floor.includes(room));
  const files = all.filter((file) => file.startsWith(`${house}/`));

  test('hold every file, and each begins with what it is', () => {
    expect(files.filter((file) => roomOf(file) === undefined)).toEqual([]);
    const folders = ['', ...new Set(files.map((file) => dirname(file).slice(house.length)))];
    expect(folders.filter((folder) => !existsSync(join(root, house + folder, 'README.md')))).toEqual([]);
  });

  test('import what is below them', () => {
    const within = files
      .flatMap(importsOf)
      .filter(({isOfTypes}) => house !== 'src/edge' || !isOfTypes)
      .map(({file, target}) => [file, target.replace(/\.js$/, '.ts')] as const)
      .filter(([, target]) => target.startsWith(`${house}/`));
    expect(within.length).toBeGreaterThan(10);
    const wrong = within.filter(([file, target]) => {
      const [from, to] = [roomOf(file), roomOf(target)];
      return from !== to && !(from !== undefined && to !== undefined && floorOf(to) < floorOf(from));
    });
    expect(wrong).toEqual([]);
  });
});

describe('what stands beside the service', () => {
  test('is imported by none of it', () => {
    const beside = imports.filter(({target}) => /^(bench|tools|test)\//.test(target));
    expect(beside).toEqual([]);
  });

  test('the tools import nothing of tests or benches', () => {
    const tools = sources('tools').filter((file) => !file.includes('node_modules'));
    expect(tools.length).toBeGreaterThan(90);
    expect(tools.flatMap(importsOf).filter(({target}) => /^(bench|test)\//.test(target))).toEqual([]);
  });

  test('the shop is drawn from its seed alone: it imports seeded chance, and reads no clock, other chance or environment', () => {
    const shop = [...sources('tools/shop'), 'tools/random.ts'];
    expect(shop.length).toBeGreaterThan(3);
    const own = /^tools\/(shop\/|random\.js$)/;
    expect(shop.flatMap(importsOf).filter(({target}) => !own.test(target))).toEqual([]);
    const banned = /\b(Date\.now|new Date\(\)|Math\.random|performance\b|process\b|setTimeout|async\b)/;
    expect(shop.filter((file) => banned.test(codeOf(file)))).toEqual([]);
  });
});

describe('the pages of the dashboard', () => {
  const pages = sources('dashboard').filter((file) => !file.includes('node_modules'));
  const reached = pages.flatMap(importsOf).filter(({target}) => !/^dashboard\//.test(target));
  const ofOurs = (folder: string): Import[] => reached.filter(({target}) => target.startsWith(`${folder}/`));

  test('take from the service only the types of its answers, and how questions are written', () => {
    expect(pages.length).toBeGreaterThan(80);
    expect(ofOurs('src').length).toBeGreaterThan(10);
    const written = [
      'src/asks/address.js',
      'day-range',
      'flat',
      'formula',
      'past-range',
      'range-text',
      'readable-query',
      'usual',
    ].map((name) => (name.includes('/') ? name : `src/asks/question/${name}.js`));
    expect([...new Set(ofOurs('src').flatMap(({target, isOfTypes}) => (isOfTypes ? [] : [target])))].sort()).toEqual(
      written,
    );
    // No schema comes with them.
    const taken = written.flatMap((file) => importsOf(file.replace('.js', '.ts'))).filter(({isOfTypes}) => !isOfTypes);
    expect(
      taken.filter(({target}) => !written.includes(target) && !/^actors\/(calendar|limits)\.js$/.test(target)),
    ).toEqual([]);
    const homes = new Set(
      ofOurs('src').map(({target}) => target.replace(/^(src\/edge\/(dashboard\/)?answers)\/.*|\.js$/, '$1')),
    );
    expect([...homes].sort()).toEqual([
      ...[
        'src/asks/address',
        'src/asks/question/day-range',
        'src/asks/question/flat',
        'src/asks/question/formula',
        'src/asks/question/members',
      ],
      ...[
        'src/asks/question/past-range',
        'src/asks/question/range-text',
        'src/asks/question/readable-query',
        'src/asks/question/usual',
      ],
      'src/bench-run',
      'src/edge/answers',
      'src/edge/dashboard/answers',
      'src/keys/dashboard-role',
    ]);
  });

  test('take from the core only the calendar, the limits, the text of conditions and what people are called', () => {
    const taken = ofOurs('actors').filter(({isOfTypes}) => !isOfTypes);
    expect([...new Set(taken.map(({target}) => target))].sort()).toEqual([
      'actors/calendar.js',
      'actors/limits.js',
      'actors/report/rows/condition-text.js',
      'actors/report/rows/condition.js',
      'actors/report/rows/event-conditions.js',
      'actors/report/rows/person-traits.js',
    ]);
  });

  test('lend the service nothing: no code of a page runs in it', () => {
    expect(imports.filter(({target}) => target.startsWith('dashboard/'))).toEqual([]);
  });

  test('have layers: what is below knows nothing of what is shown, and no page knows another', () => {
    const folderOf = (path: string): string => path.split('/')[2]!;
    const own = pages.flatMap(importsOf).filter(({target}) => target.startsWith('dashboard/src/'));
    const below: Readonly<Record<string, readonly string[]>> = {
      address: ['address'],
      service: ['address', 'service'],
      design: ['design'],
      charts: ['address', 'charts', 'controls', 'design', 'service', 'shell'],
      explained: ['address', 'charts', 'controls', 'design', 'explained', 'service', 'shell'],
      reports: ['address', 'charts', 'controls', 'design', 'explained', 'reports', 'service', 'shell'],
    };
    expect(own.length).toBeGreaterThan(400);
    const upward = own.filter(({file, target}) => below[folderOf(file)]?.includes(folderOf(target)) === false);
    expect(upward.map(({file, target}) => `${file} -> ${target}`)).toEqual([]);
    // Only the frame knows pages.
    const pageOf = (path: string): string => path.split('/').slice(0, 4).join('/');
    const known = own.filter(({file, target}) => folderOf(target) === 'pages' && pageOf(file) !== pageOf(target));
    expect([...new Set(known.map(({file}) => file))].sort()).toEqual([
      'dashboard/src/main.tsx',
      'dashboard/src/shell/places.ts',
    ]);
  });

  test('know a kind of report by its line in the registry: nothing else names its folder, and no kind another one', () => {
    const home = 'dashboard/src/reports';
    const folders = readdirSync(join(root, home), {withFileTypes: true}).filter((one) => one.isDirectory());
    const registry = readFileSync(join(root, home, 'all.ts'), 'utf8');
    const lines = [...registry.matchAll(/\{path: '\/([\w-]+)', .* import\('\.\/([\w-]+)\/report'\)\},/g)];
    expect(lines.map(([, path, folder]) => `${path} ${folder}`).sort()).toEqual(
      folders.map(({name}) => `${name} ${name}`).sort(),
    );
    const kindOf = (path: string): string | undefined => /^dashboard\/src\/reports\/([^/]+)\//.exec(path)?.[1];
    const named = pages
      .flatMap(importsOf)
      .filter(({file, target}) => kindOf(target) !== undefined && kindOf(target) !== kindOf(file));
    expect(named.length).toBeGreaterThan(folders.length);
    const wrong = named.filter(({file}) => dirname(file) !== home);
    expect(wrong.map(({file, target}) => `${file} -> ${target}`)).toEqual([]);
  });

  test('import nothing of what stands beside the service', () => {
    expect(reached.filter(({target}) => /^(bench|tools|test|scripts)\//.test(target))).toEqual([]);
  });
});

describe('our own SDK', () => {
  const files = sources(sdk);

  test('imports nothing from outside itself, but what Node has for its entry for Node', () => {
    expect(files.length).toBeGreaterThan(5);
    const outside = files.flatMap(importsOf).filter(({target}) => !target.startsWith(`${sdk}/`));
    expect([...new Set(outside.map(({file}) => file))]).toEqual([`${sdk}/node.ts`]);
    expect(outside.filter(({target}) => !target.startsWith('node:'))).toEqual([]);
    expect(imports.filter(({target}) => target.startsWith('packages/'))).toEqual([]);
  });

  test('is no part of a page where it is a queue: pages, clocks and networks come from outside', () => {
    const banned = /\b(Date\.now|document|location|navigator|localStorage|fetch|setTimeout|console)\b/;
    expect([`${sdk}/outbox.ts`].filter((file) => banned.test(codeOf(file)))).toEqual([]);
  });

  test('has no dependencies', () => {
    const manifest = JSON.parse(readFileSync(join(root, 'packages/sdk/package.json'), 'utf8')) as object;
    expect(Object.keys(manifest).filter((field) => /dependencies/i.test(field))).toEqual([]);
  });
});

test('package.json has among the dependencies what the service and its pages import, and the tools what they import', () => {
  const dependenciesOf = (file: string): Readonly<Record<string, string>> =>
    (JSON.parse(readFileSync(join(root, file), 'utf8')) as {dependencies: Record<string, string>}).dependencies;
  const nameOf = (target: string): string => /^(?:@[^/]+\/)?[^/]+/.exec(target)![0];
  const packagesOf = (files: readonly string[]): string[] => {
    const targets = files.flatMap(importsOf).filter(({isOfTypes}) => !isOfTypes);
    const isOurs = /^(actors|src|dashboard|bench|tools|test|scripts|dist)\/|^node:|^\.\.?\//;
    return [...new Set(targets.map(({target}) => target).filter((target) => !isOurs.test(target)))].map(nameOf);
  };
  const running = packagesOf([...all, ...sources('dashboard/src')]);
  expect(running).toEqual(expect.arrayContaining(['zod', 'preact']));
  expect(running.filter((name) => !(name in dependenciesOf('package.json')))).toEqual([]);
  const beside = packagesOf(['bench', 'tools'].flatMap(sources).filter((file) => !file.includes('node_modules')));
  expect(beside).toContain('fastify');
  const known = {...dependenciesOf('package.json'), ...dependenciesOf('tools/package.json')};
  expect(beside.filter((name) => !(name in known))).toEqual([]);
});

test('HTTP and questions know nothing of the rest of the edge, types included', () => {
  const above = (folder: string, ofOthers: RegExp): string[] =>
    all
      .filter((file) => file.startsWith(`${folder}/`))
      .flatMap((file) => {
        const targets = importsOf(file).map(({target}) => target);
        return targets.filter((target) => target.startsWith('src/edge/') && !ofOthers.test(target));
      });
  expect(above('src/edge/http', /^src\/edge\/(http\/|failure\.js)/)).toEqual([]);
  expect(above('src/edge/query', /^src\/edge\/(query\/|http\/|answers\/|failure\.js)/)).toEqual([]);
});

test('no file imports itself by way of others, types included', () => {
  const targets = new Map(all.map((file) => [file, importsOf(file).map(({target}) => target.replace(/\.js$/, '.ts'))]));
  /** Files whose imports are all known to lead to no circle are taken away, until none is left, or only circles. */
  for (let before = -1; before !== targets.size; ) {
    before = targets.size;
    for (const [file, reached] of targets) if (!reached.some((target) => targets.has(target))) targets.delete(file);
  }
  expect([...targets.keys()]).toEqual([]);
});

test('no two types of the core have one name: what it names is known without the file', () => {
  const core = /^(actors|src\/(ingest|nats|pacing|partition|parts|report))\//;
  const homes = new Map<string, string[]>();
  for (const file of all.filter((one) => core.test(one)))
    for (const [, name] of codeOf(file).matchAll(/^(?:export )?(?:abstract )?(?:class|enum|interface|type) (\w+)/gm))
      homes.set(name!, [...(homes.get(name!) ?? []), file]);
  expect(homes.size).toBeGreaterThan(500);
  expect([...homes].filter(([, files]) => files.length > 1)).toEqual([]);
});

test('no catch-all files', () => {
  const vague = /(^|\/)(utils?|helpers?|common|misc|types|index)\.ts$|\.service\.ts$/;
  expect([...all, ...['test', 'bench', 'tools', sdk].flatMap(sources)].filter((file) => vague.test(file))).toEqual([]);
});
