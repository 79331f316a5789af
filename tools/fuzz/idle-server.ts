// A process that answers and does nothing else: the time of a probe of it is the machine's.
import {createServer} from 'node:http';
import type {AddressInfo} from 'node:net';

const server = createServer((_, response) => response.end('ok'));
server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port));
process.once('disconnect', () => process.exit());
