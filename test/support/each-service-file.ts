// Files of one process follow each other there: each leaves nothing that runs, and no folder.
import {afterAll} from 'vitest';
import {cleanUp} from './service.js';

afterAll(cleanUp);
