pytest_plugins = ["ore.ext.replay.pytest_plugin"]
