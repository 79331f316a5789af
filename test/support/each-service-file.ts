// Files of one process follow each other there: each leaves nothing that runs, and no folder, but for the service that the next one shares.
import {afterAll, beforeAll} from 'vitest';
import {cleanUp, foldersNow, share} from './service.js';

share(undefined); // The file that is imported next says whether it shares.
const ofEarlierFiles = foldersNow();
beforeAll(() => cleanUp(ofEarlierFiles));
afterAll(() => cleanUp());
