import {execFile} from 'node:child_process';
import {fileURLToPath} from 'node:url';
import {promisify} from 'node:util';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** What a command of the project's packages printed if it failed; '' if it did not. */
export async function complaints(command: string, args: readonly string[]): Promise<string> {
  // The compiler's threads check shared types anew: four take twice the CPU of one, beside other tests.
  const words = command === 'tsc' ? [...args, '--singleThreaded'] : args;
  // It ends before its memory matters: collecting garbage would be a seventh of its work.
  const env = {...process.env, GOGC: 'off', GOMEMLIMIT: '2GiB'};
  const run = promisify(execFile)(`${root}node_modules/.bin/${command}`, words, {cwd: root, env});
  return run.then(
    () => '',
    (error: {stdout: string; stderr: string}) => error.stdout + error.stderr,
  );
}
