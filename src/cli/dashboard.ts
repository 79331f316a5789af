// `npm run dashboard`: prints a link that signs in to the dashboard of the running service, once, within ten minutes.

import {commandLine} from '../command-line.js';
import {signInLink} from '../welcome.js';
import {AdminClient, AdminFault} from './admin-client.js';

// The environment: this program reads it only here.
const dataDir = process.env.DATA_DIR || './data';

const usage = `Usage: ${commandLine('dashboard')}

Prints a link that signs in to the dashboard of the running service, once, within ten minutes.
DATA_DIR (default ./data) is that of the service: with several services on a machine it says which one is meant.
`;

const words = process.argv.slice(2);

if (words.length === 0) await printLink();
else if (words.every((word) => word === '--help' || word === '-h')) process.stdout.write(usage);
else {
  process.stderr.write(`${words.join(' ')} is not understood\n\n${usage}`);
  process.exitCode = 2;
}

async function printLink(): Promise<void> {
  try {
    const client = AdminClient.of(dataDir);
    const {code} = await client.ask<{code: string}>('POST', '/dashboard/api/sign-in-code', {});
    process.stdout.write(`${signInLink(client.adminUrl, code)}\n`);
  } catch (error) {
    if (!(error instanceof AdminFault)) throw error;
    process.stderr.write(`${error.message}\n`);
    process.exitCode = 1;
  }
}
