// Which Node runs this.

import {SetupFault} from './project.mjs';

const nodeMin = [20, 15];

/** Throws a `SetupFault` for one that is too old. */
export function checkNode(version = process.versions.node) {
  const [major, minor] = version.split('.').map(Number);
  if (major > nodeMin[0] || (major === nodeMin[0] && minor >= nodeMin[1])) return;
  throw new SetupFault(`Node ${nodeMin.join('.')} or newer is needed; this is ${version} (${process.execPath})`);
}
