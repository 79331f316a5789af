import {execFile} from 'node:child_process';
import {fileURLToPath} from 'node:url';
import {promisify} from 'node:util';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** What a command of the project's packages printed if it failed; '' if it did not. */
export async function complaints(command: string, args: readonly string[]): Promise<string> {
  // The compiler's threads check shared types anew: four take twice the CPU of one, beside other tests.
  const words = command === 'tsc' ? [...args, '--singleThreaded'] : args;
  const run = promisify(execFile)(`${root}node_modules/.bin/${command}`, words, {cwd: root});
  return run.then(
    () => '',
    (error: {stdout: string; stderr: string}) => error.stdout + error.stderr,
  );
}
