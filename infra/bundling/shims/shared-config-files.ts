/** Replaces the SDK's reader of the user's configuration files, which do not exist in a function. */
export const loadSharedConfigFiles = async () => ({ configFile: {}, credentialsFile: {} });

export const CONFIG_PREFIX_SEPARATOR = ".";
