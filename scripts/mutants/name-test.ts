/** Names the test file that runs, for the switches of planted faults and for child processes. */
const scope = globalThis as { __testFile?: string; __vitest_worker__?: { filepath?: string } };
scope.__testFile = scope.__vitest_worker__?.filepath ?? '';
process.env.DRUMLIN_TEST_FILE = scope.__testFile;
