// `npm run cluster`: the members of a deployment beside an external NATS, and its level (docs/cluster.md, Upgrade one by one).
import {commandLine} from '../command-line.js';
import {readConfig} from '../config.js';
import {connectFirst} from '../nats/client/connection.js';
import {StartFault} from '../start-fault.js';
import {clusterText, raisedText} from './cluster/level-text.js';

const usage = `Usage: ${commandLine('cluster')} [raise]

Lists the processes of a deployment beside an external NATS, which formats each of them reads and writes, and the level: the
newest formats that may be written. With raise the level rises by one now, and not once all of them have had it for ten
minutes; no version that lacks it starts from then on. NATS_URL and its login are those of the service.
`;

/** @returns what is printed. */
async function run(word: string | undefined): Promise<string> {
  const result = readConfig(process.env);
  if (result.kind === 'bad') throw new StartFault(result.line);
  const {nats} = result.config;
  if (nats.kind === 'embedded')
    throw new StartFault('NATS_URL is not set: a service with its own nats-server has no cluster');
  const nc = await connectFirst(nats, 'millrace-cluster');
  try {
    return word === undefined ? await clusterText(nc) : await raisedText(nc);
  } finally {
    await nc.close();
  }
}

const words = process.argv.slice(2);
const [word] = words;
if (words.some((each) => each === '--help' || each === '-h')) process.stdout.write(usage);
else if (words.length > 1 || (word !== undefined && word !== 'raise')) {
  process.stderr.write(`${words.join(' ')} is not understood\n\n${usage}`);
  process.exitCode = 2;
} else {
  try {
    process.stdout.write(await run(word));
  } catch (error) {
    if (!(error instanceof StartFault)) throw error;
    process.stderr.write(`${error.message}\n`);
    process.exitCode = 1;
  }
}
