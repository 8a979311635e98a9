require('nothing-here');
