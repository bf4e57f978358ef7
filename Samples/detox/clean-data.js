// Each test starts with the same data in the app's container. Name this file in setupFilesAfterEnv of Jest's configuration.
const { execFileSync } = require('child_process');

// Change this, or set it in the environment.
// The version in the project's capsule.
const version = process.env.CAPSULE_VERSION || '@clean';

beforeEach(async () => {
  await device.terminateApp();
  // Each worker has its own simulator; capsule restores the container there.
  execFileSync('capsule', ['restore', '-q', version], {
    stdio: 'inherit',
    env: { ...process.env, SIMULATOR_UDID: device.id },
  });
  await device.launchApp({ newInstance: true });
});
