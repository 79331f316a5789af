// The country of a client: what a trusted proxy says, else what the operator's file says of its address. There is no guess, and no file
// of our own: none that may be shipped is right.
import {readFileSync, statSync} from 'node:fs';
import {type CountryResponse, Reader} from 'mmdb-lib';
import type {Logger} from '../../observe.js';
import {StartFault} from '../../start-fault.js';
import type {ClientAddresses} from '../http/client-address.js';
import type {Exchange} from '../http/exchange.js';

/** ISO 3166-1 alpha-2. Proxies say XX or ZZ for an unknown country, and T1 for Tor. */
const code = /^(?!XX|ZZ)[A-Z]{2}$/;

export class Countries {
  private readonly clients: ClientAddresses;
  private readonly file: CountryFile | undefined;

  /** `path`: of an MMDB file; undefined: there is none. @throws StartFault when the file cannot be read */
  constructor(clients: ClientAddresses, path: string | undefined, logger: Logger) {
    this.clients = clients;
    this.file = path === undefined ? undefined : new CountryFile(path, logger);
  }

  /** Undefined: unknown. */
  of(exchange: Exchange): string | undefined {
    const {country} = exchange;
    const said = country !== '' && this.clients.isByProxy(exchange) ? country.toUpperCase() : '';
    if (code.test(said)) return said;
    return this.file?.of(this.clients.of(exchange));
  }

  /** Reads the file again if it is another one now. */
  refresh(): void {
    this.file?.refresh();
  }
}

/** A country file in the form of MaxMind's. Operators replace it as it ages. */
class CountryFile {
  private readonly path: string;
  private readonly logger: Logger;
  private reader: Reader<CountryResponse>;
  private version: string;
  /** Version of the file of which the log says that it is damaged. */
  private damagedVersion = '';

  constructor(path: string, logger: Logger) {
    this.path = path;
    this.logger = logger;
    try {
      this.version = versionOf(path);
      this.reader = readerOf(path);
    } catch (error) {
      throw new StartFault(`GEOIP_FILE cannot be read: ${path}: ${messageOf(error)}`);
    }
  }

  of(address: string): string | undefined {
    if (address === '') return undefined; // The connection is closed.
    // In a file of IPv4 alone the reader would take the first bits of any address for one of IPv4.
    if (address.includes(':') && this.reader.metadata.ipVersion === 4) return undefined;
    try {
      const found = this.reader.get(address);
      const iso = (found?.country ?? found?.registered_country)?.iso_code ?? '';
      return code.test(iso) ? iso : undefined;
    } catch (error) {
      this.noteDamage(error);
      return undefined;
    }
  }

  /** No event is refused for a damaged file. */
  private noteDamage(error: unknown): void {
    if (this.damagedVersion === this.version) return;
    this.damagedVersion = this.version;
    this.logger.warn({reason: messageOf(error)}, 'GEOIP_FILE is damaged: some clients have no country');
  }

  refresh(): void {
    try {
      const version = versionOf(this.path);
      if (version === this.version) return;
      this.reader = readerOf(this.path);
      this.version = version;
      this.logger.info('GEOIP_FILE was read again');
    } catch (error) {
      this.logger.warn({reason: messageOf(error)}, 'GEOIP_FILE cannot be read: countries are those of the file before');
    }
  }
}

const readerOf = (path: string): Reader<CountryResponse> => new Reader<CountryResponse>(readFileSync(path));

function versionOf(path: string): string {
  const {mtimeMs, size, ino} = statSync(path);
  return `${ino} ${mtimeMs} ${size}`;
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
