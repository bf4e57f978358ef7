import CapsuleCommands

CapsuleProgram.runAndExit()
