import {execFile} from 'node:child_process';
import {fileURLToPath} from 'node:url';
import {promisify} from 'node:util';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** What a command of the project's packages printed if it failed; '' if it did not. */
export async function complaints(command: string, args: readonly string[]): Promise<string> {
  const run = promisify(execFile)(`${root}node_modules/.bin/${command}`, args, {cwd: root});
  return run.then(
    () => '',
    (error: {stdout: string; stderr: string}) => error.stdout + error.stderr,
  );
}
