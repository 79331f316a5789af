// `npm run dashboard`: prints a link that signs in to the dashboard of the running service, once, within ten minutes.

import {signInLink} from '../welcome.js';
import {AdminClient, AdminFault} from './admin-client.js';

// The environment: this program reads it only here.
const dataDir = process.env.DATA_DIR || './data';

try {
  const client = AdminClient.of(dataDir);
  const {code} = await client.ask<{code: string}>('POST', '/dashboard/api/sign-in-code', {});
  process.stdout.write(`${signInLink(client.adminUrl, code)}\n`);
} catch (error) {
  if (!(error instanceof AdminFault)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}
