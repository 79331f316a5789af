// The transport of the client library, with reads of its own where the connection has no TLS.
//   NT1. Reads go into one buffer, again and again. A stream of Node allocates one of 64 KiB for each read.
//   NT2. Messages reach the client whole (message-frames.ts).
//   NT3. Handshakes, writes and ends are the library's, and so is all of TLS: a server that asks for it is dialed once more.
import {createConnection, type Socket} from 'node:net';
import type {NatsConnection} from 'nats';
import {
  type ConnectionOptions,
  extractProtocolMessage,
  INFO,
  NatsConnectionImpl,
  type ServerInfo,
  setTransportFactory,
} from 'nats/lib/nats-base-client.js';
import {NodeTransport, nodeResolveHost} from 'nats/lib/node_transport.js';
import {MessageFrames} from './message-frames.js';

/** Most bytes of one read. */
const readBytesMax = 128 * 1024;

interface Host {
  readonly hostname: string;
  readonly port: number;
}

class WholeMessages extends NodeTransport {
  private host: Host | undefined;
  private isBuffered = false;

  override dial(host: Host): Promise<Socket> {
    this.host = host;
    this.isBuffered = !this.options.tls;
    return this.isBuffered ? this.dialBuffered(host) : super.dial(host);
  }

  /** NT1, NT2 */
  private dialBuffered({hostname, port}: Host): Promise<Socket> {
    const frames = new MessageFrames((piece) => void this.yields.push(piece));
    const callback = (bytes: number, buffer: Uint8Array): boolean => {
      frames.take(buffer.subarray(0, bytes));
      if (this.yields.length > 0) this.signal.resolve();
      return true;
    };
    const onread = {buffer: new Uint8Array(readBytesMax), callback};
    const socket = createConnection({host: hostname, port, noDelay: true, onread});
    return settled(socket, new Promise((resolve) => socket.once('connect', () => resolve(socket))));
  }

  override async peekInfo(): Promise<ServerInfo> {
    if (!this.isBuffered) return super.peekInfo();
    await settled(this.socket, this.signal);
    // A line is never in two pieces.
    const greeting = INFO.exec(extractProtocolMessage(this.yields[0] ?? new Uint8Array(0)));
    if (greeting === null) throw new Error('what answers is no nats-server');
    return JSON.parse(greeting[1]!) as ServerInfo;
  }

  /** NT3 */
  override async startTLS() {
    if (this.isBuffered) {
      this.socket.destroy();
      this.yields = [];
      this.isBuffered = false;
      this.socket = await super.dial(this.host!);
      await super.peekInfo();
    }
    return super.startTLS();
  }
}

/** The result of `coming`, unless the socket closes before. */
async function settled<T>(socket: Socket, coming: Promise<T>): Promise<T> {
  let fault: Error | undefined;
  const closed = new Promise<never>((_, reject) => {
    socket.once('error', (error) => {
      fault = error;
    });
    socket.once('close', () => reject(fault ?? new Error('nats-server closed the connection before it greeted')));
  });
  try {
    return await Promise.race([coming, closed]);
  } finally {
    socket.removeAllListeners();
  }
}

/** `connect` of the client library, over this transport. */
export function connectWhole(options: ConnectionOptions): Promise<NatsConnection> {
  setTransportFactory({factory: () => new WholeMessages(), dnsResolveFn: nodeResolveHost});
  return NatsConnectionImpl.connect(options);
}
