// Checks the machine before anything else begins.

import {existsSync, readFileSync} from 'node:fs';
import {SetupFault} from './project.mjs';

const nodeMin = [20, 15];
/** npm alone has some hundred files open; the service has as many for its threads and NATS, and one for each connection. */
const openFilesMin = 512;

/** Throws a `SetupFault` when the machine lacks something. */
export function checkMachine() {
  checkNode();
  checkOpenFiles();
}

export function checkNode(version = process.versions.node) {
  const [major, minor] = version.split('.').map(Number);
  if (major > nodeMin[0] || (major === nodeMin[0] && minor >= nodeMin[1])) return;
  throw new SetupFault(`Node ${nodeMin.join('.')} or newer is needed; this is ${version} (${process.execPath})`);
}

/** Node has raised its own limit up to the hard limit. */
export function checkOpenFiles(limits = readLimits()) {
  const max = Number(/^Max open files\s+(\d+)/m.exec(limits)?.[1] ?? Number.POSITIVE_INFINITY);
  if (max >= openFilesMin) return;
  throw new SetupFault(
    `too few open files: a process may have ${max} here, and ${openFilesMin} are needed: ` +
      'raise the limit (ulimit -n, LimitNOFILE= of a systemd unit, --ulimit nofile= of Docker)',
  );
}

/** Limits of this process; only Linux shows them. */
function readLimits() {
  const file = '/proc/self/limits';
  return existsSync(file) ? readFileSync(file, 'utf8') : '';
}
