// Files that may not exist: of another process, or of another system.

import {readFileSync} from 'node:fs';

/** Undefined when there is no such file, or its process has ended. */
export function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (isSystemError(error) && ['ENOENT', 'ESRCH'].includes(error.code)) return undefined;
    throw error;
  }
}

/** As `readIfThere`, and undefined for a file that this process may not read. */
export function readIfReadable(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (isSystemError(error)) return undefined;
    throw error;
  }
}

/** Whether the operating system refused. Errors of the program have no code of it. */
export const isSystemError = (error: unknown): error is NodeJS.ErrnoException & {code: string} =>
  error instanceof Error && 'syscall' in error && 'code' in error;
