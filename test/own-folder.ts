/** Temporary folders of tests go into the folder of their worker. */
import { useOwnFolder } from './temporary-files.ts';

useOwnFolder();
