// A certificate that nobody signed but itself, made with openssl.
import {execFileSync, spawnSync} from 'node:child_process';
import {readFileSync} from 'node:fs';
import {join} from 'node:path';
import {temporaryFolder} from './service.js';

/** From 1.1.1 on. */
export const hasOpenssl = String(spawnSync('openssl', ['req', '-help']).stderr).includes('-addext');

/** PEM, and the path of the certificate. `name`: of the host, as subjectAltName has it. */
export function selfSigned(name: string): {readonly cert: string; readonly key: string; readonly certPath: string} {
  const folder = temporaryFolder();
  const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
  const kind = ['-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2'];
  const names = ['-subj', '/CN=test', '-addext', `subjectAltName=${name}`, '-keyout', key, '-out', cert];
  execFileSync('openssl', ['req', ...kind, ...names], {stdio: 'ignore'});
  return {cert: readFileSync(cert, 'utf8'), key: readFileSync(key, 'utf8'), certPath: cert};
}
