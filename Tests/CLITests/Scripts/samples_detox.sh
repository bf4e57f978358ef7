# Samples/detox: the hook, with replacements for Jest and Detox's device, on two simulators that this makes.
. "$LIB"
. "$TOOLS/project_samples.sh"
need node
cat > run.js << 'JS'
// Runs tests as jest-circus does: a hook that fails fails the test, whose body is then left out.
const { execFileSync } = require('child_process');
const hooks = [];
global.beforeEach = hook => hooks.push(hook);
const calls = [];
global.device = {
  id: process.argv[3],
  terminateApp: async () => { calls.push('terminate'); },
  launchApp: async ({ newInstance }) => { calls.push(newInstance ? 'launch' : 'bring forward'); },
};
require(process.argv[2]);
(async () => {
  let failed = 0;
  for (const name of process.argv.slice(4)) {
    try {
      for (const hook of hooks) await hook();
      if (calls.splice(0).join() !== 'terminate,launch') throw new Error('other calls');
      execFileSync('./a_test', [name, device.id], { stdio: 'inherit' });
    } catch (error) {
      console.error(error.message);
      failed = 1;
    }
  }
  process.exit(failed);
})();
JS
hook=$SAMPLES/detox/clean-data.js
status 0 node run.js "$hook" "$first" A B C
wants 'A: clean' 'B: clean' 'C: clean'
# Another worker's simulator has its own container.
status 0 node run.js "$hook" "$second" D
wants 'D: clean'
# A test that fails does not keep the others from being run, or from having their data.
status 1 node run.js "$hook" "$first" Failing E
wants 'Failing: clean' 'E: clean'
# Without data no test runs.
status 1 env CAPSULE_VERSION=@dirty node run.js "$hook" "$first" A
says err "capsule: error: .*dirty"
absent tests
