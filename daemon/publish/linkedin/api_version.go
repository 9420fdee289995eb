package linkedin

// APIVersion is the version of the API for which the publisher was written.
const APIVersion = newestVersion
