// A process that answers and does nothing else: what a probe of it takes is the machine's doing.
import {createServer} from 'node:http';
import type {AddressInfo} from 'node:net';

const server = createServer((_, response) => response.end('ok'));
server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port));
process.once('disconnect', () => process.exit());
